import { Gauge, type Registry } from 'prom-client';

/** A gauge that is read when somebody asks for the metrics: `read` sets its series then. */
export function registerGauge<Label extends string = never>(
  registry: Registry,
  about: { readonly name: string; readonly help: string; readonly labelNames?: readonly Label[] },
  read: (gauge: Gauge<Label>) => void | Promise<void>,
): void {
  const { name, help, labelNames = [] } = about;
  const gauge: Gauge<Label> = new Gauge({
    name,
    help,
    labelNames: [...labelNames],
    registers: [],
    collect: () => read(gauge),
  });
  registry.registerMetric(gauge);
}
