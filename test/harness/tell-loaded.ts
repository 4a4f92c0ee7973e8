import { register } from 'node:module';

// Loaded before a process: says on standard error which modules of OpenTelemetry are asked for.
register(
  `data:text/javascript,${encodeURIComponent(`
    import { writeSync } from 'node:fs';
    export async function resolve(name, context, next) {
      if (name.includes('opentelemetry') || name.includes('open-telemetry')) writeSync(2, 'asked for ' + name + '\\n');
      return next(name, context);
    }
  `)}`,
);
