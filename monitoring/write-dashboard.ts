import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dashboard } from './dashboard.ts';

const file = join(import.meta.dirname, 'grafana/dashboards/inventory.json');
writeFileSync(file, `${JSON.stringify(dashboard(), null, 2)}\n`);
