import { register } from 'node:module';

// Loaded before a process: prints to standard error the OpenTelemetry modules that are requested.
register(
  `data:text/javascript,${encodeURIComponent(`
    import { writeSync } from 'node:fs';
    export async function resolve(name, context, next) {
      if (name.includes('opentelemetry') || name.includes('open-telemetry')) writeSync(2, 'asked for ' + name + '\\n');
      return next(name, context);
    }
  `)}`,
);
