package cli

import (
	"errors"
	"fmt"
	"text/tabwriter"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/garaph/garaph/bench"
	"github.com/garaph/garaph/gpuengine/device"
)

func (a *app) devicesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "devices",
		Short: "List the GPUs that programs can run on",
		Long: `List the GPUs that programs can run on, with the speed of the link to each, which
is measured. The emulated one computes on the CPU, for tests.`,
		Args: exactly("no argument", 0),
	}
	cmd.RunE = a.job(func(*cobra.Command, []string) error {
		if err := a.handOver(autoDevice, "", ""); err != nil {
			return err
		}
		table := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
		fmt.Fprintf(table, "gpu\tname\tmemory\tfree\tprocessors\tcapability\tdriver\tto it\tfrom it\tboth\n") // errors are kept until Flush
		var errs []error
		for _, d := range device.Drivers() {
			list, err := d.List()
			errs = append(errs, err)
			for _, x := range list {
				link, err := measureLink(x.Name)
				errs = append(errs, err)
				i := x.Info
				fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%d\t%d.%d\t%s\t%s\t%s\t%s\n", x.Name, i.Name, humanize.IBytes(uint64(i.Memory)), humanize.IBytes(uint64(i.Free)),
					i.Processors, i.Capability/10, i.Capability%10, i.Driver, speedText(link.To), speedText(link.From), speedText(link.Both))
			}
		}
		return errors.Join(append(errs, table.Flush())...)
	})
	return cmd
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
