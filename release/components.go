package main

import (
	"bytes"
	"debug/buildinfo"
	"os"
	"path"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// components writes what a command is made of, as CycloneDX: the modules that Go
// has noted in it, with their checksums.
func (r *release) components(p product) error {
	command := p.files[0]
	if p.cuda {
		command = p.files[1]
	}
	info, err := buildinfo.Read(bytes.NewReader(command.body))
	if err != nil {
		return err
	}
	bom := cdx.NewBOM()
	bom.Metadata = &cdx.Metadata{
		Timestamp: r.date.Format("2006-01-02T15:04:05Z"),
		Component: &cdx.Component{Type: cdx.ComponentTypeApplication, BOMRef: "garaph", Name: path.Base(command.path), Version: r.version, PackageURL: "pkg:golang/github.com/garaph/garaph@" + r.version, Licenses: &cdx.Licenses{{License: &cdx.License{ID: "Apache-2.0"}}}},
	}
	all := []cdx.Component{{Type: cdx.ComponentTypeLibrary, BOMRef: "std", Name: "std", Version: info.GoVersion, PackageURL: "pkg:golang/std@" + info.GoVersion}}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		url := "pkg:golang/" + m.Path + "@" + m.Version
		c := cdx.Component{Type: cdx.ComponentTypeLibrary, BOMRef: url, Name: m.Path, Version: m.Version, PackageURL: url}
		if m.Sum != "" {
			c.Properties = &[]cdx.Property{{Name: "go.sum", Value: m.Sum}}
		}
		all = append(all, c)
	}
	bom.Components = &all
	var b bytes.Buffer
	if err := cdx.NewBOMEncoder(&b, cdx.BOMFileFormatJSON).SetPretty(true).Encode(bom); err != nil {
		return err
	}
	return os.WriteFile(r.name(p.name, p.arch, ".cdx.json"), b.Bytes(), 0o666)
}
