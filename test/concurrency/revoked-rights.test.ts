import { changeClient } from '@inventory/db/access/clients';
import { createLog } from '@inventory/process/log/log';
import type { Running } from '@inventory/process/run';
import { startWorker } from '@inventory/worker/worker';
import { afterEach, expect } from 'vitest';
import { asPart } from '../harness/as-part.ts';
import { forbidden } from '../harness/contract/answers.ts';
import { meanwhile } from '../harness/meanwhile.ts';
import { countStatuses } from '../harness/queue/batches.ts';
import { notBusy, served } from '../harness/service/served.ts';
import { allPermissions, useService } from '../harness/service/service.ts';

const service = useService({ workers: 0 });
let worker: Running | undefined;

afterEach(async () => {
  await worker?.stop();
});

served('403: a right revoked while the request waits in the queue', async () => {
  // Without a worker the requests wait in the queue.
  await worker?.stop();
  worker = undefined;
  const itemID = await service.item();
  const changes = [
    { permissions: allPermissions.filter((each) => each !== 95) },
    { wids: [2] },
    { readOnly: true },
    { disabled: true },
    {},
  ];
  const clients = await Promise.all(changes.map(() => service.client()));
  const answers = meanwhile(
    Promise.all(
      clients.map((client) => client.post('/Inventory/Receive', { itemID, units: 1, wid: 1, reasonCode: 0 })),
    ),
  );
  // Once a read on the same connection is answered, the requests before it have been accepted.
  await Promise.all(clients.map((client) => client.get('/Item?pageSize=1')));
  await Promise.all(
    changes.map((change, index) => changeClient(service.sql, clients[index]!.clientId, change)),
  );
  worker = await startWorker(asPart('worker', service.env), createLog('worker'));
  const told = (await answers).map(notBusy).map(({ status, body }) => (status === 201 ? status : body));
  expect(told).toEqual([
    forbidden.permission,
    forbidden.scope,
    forbidden.readOnly,
    forbidden.permission,
    201,
  ]);
  expect(await countStatuses(service.sql, itemID)).toEqual({ abandoned: 4, applied: 1 });
});
