package ingest

func init() {
	Register(formatText, formatMatrixMarket, formatDIMACS, formatEL, formatWEL, formatSG, formatWSG, formatLDBC,
		formatMETIS, formatLigra, formatGraphML, formatRaw, formatRawW, formatParquet, formatArrow)
}
