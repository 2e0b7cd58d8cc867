package ingest

func init() {
	Register(textFormats...)
	Register(mtxFormats...)
	Register(gapFormats...)
	Register(adjacencyFormats...)
	Register(graphmlFormats...)
	Register(columnsFormats...)
}
