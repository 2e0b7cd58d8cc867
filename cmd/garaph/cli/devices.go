package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/garaph/garaph/bench"
	"github.com/garaph/garaph/cmd/garaph/cli/show"
	"github.com/garaph/garaph/gpuengine/device"
)

func devicesCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "devices",
		Short: "List the GPUs that programs can run on",
		Long: `List the GPUs that programs can run on, with the speed of the link to each, which
is measured, and the GPUs to which it copies directly. The emulated one computes on the CPU, for tests.`,
		Args: exactly("no argument", 0),
	}
	asJSON := cmd.Flags().Bool("json", false, "print them as one JSON object")
	cmd.RunE = a.job(func(*cobra.Command, []string) error {
		if err := a.handOver(autoDevice, "", ""); err != nil {
			return err
		}
		list, err := measuredDevices()
		if *asJSON {
			return errors.Join(err, json.NewEncoder(a.stdout).Encode(devicesReport{list}))
		}
		table := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
		// errors are kept until Flush
		fmt.Fprintf(table, "gpu\tname\tmemory\tfree\tprocessors\tcapability\tdriver\tto it\tfrom it\tboth\tdirect to\n")
		for _, d := range list {
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%d\t%s\t%s\t%s\t%s\t%s\t%s\n", d.GPU, d.Name, humanize.IBytes(uint64(d.Memory)),
				humanize.IBytes(uint64(d.Free)),
				d.Processors, d.Capability, d.Driver, speedText(float64(d.To)), speedText(float64(d.From)), speedText(
					float64(d.Both),
				),
				strings.Join(d.Peers, ","))
		}
		return errors.Join(err, table.Flush())
	})
	return cmd
}

// devicesReport is `garaph devices` as JSON.
type devicesReport struct {
	Devices []deviceReport `json:"devices"`
}

// deviceReport is a GPU as it is listed.
type deviceReport struct {
	GPU        string `json:"gpu"` // for --gpu
	Name       string `json:"name"`
	Memory     int64  `json:"memory_bytes"`
	Free       int64  `json:"free_bytes"`
	Processors int    `json:"processors"`
	Capability string `json:"capability"`
	Driver     string `json:"driver"`
	// The link, in bytes a second: to the GPU, from it, and both at once.
	To   show.Number `json:"to_bytes_per_second"`
	From show.Number `json:"from_bytes_per_second"`
	Both show.Number `json:"both_bytes_per_second"`
	// Peers are the GPUs to which it copies without the host's memory.
	Peers []string `json:"peers,omitempty"`
}

// measuredDevices lists all GPUs with the speed of their links; the error is of those that fail.
func measuredDevices() (list []deviceReport, err error) {
	var errs []error
	list = []deviceReport{}
	for _, d := range device.Drivers() {
		found, err := d.List()
		errs = append(errs, err)
		for _, x := range found {
			link, err := measureLink(x.Name)
			errs = append(errs, err)
			i := x.Info
			list = append(list, deviceReport{
				GPU: x.Name, Name: i.Name, Memory: i.Memory, Free: i.Free, Processors: i.Processors,
				Capability: fmt.Sprintf("%d.%d", i.Capability/10, i.Capability%10), Driver: i.Driver,
				To: show.Number(link.To), From: show.Number(link.From), Both: show.Number(link.Both), Peers: x.Peers,
			})
		}
	}
	return list, errors.Join(errs...)
}

func speedText(bytesPerSecond float64) string {
	return fmt.Sprintf("%.1f GB/s", bytesPerSecond/1e9)
}

// measureLink measures the link of the device of a name.
func measureLink(name string) (link bench.Link, err error) {
	d, err := device.Open(name)
	if err != nil {
		return bench.Link{}, err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	return bench.MeasureLink(d)
}
