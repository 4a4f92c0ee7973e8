import { MasterConnector } from '@inventory/redis/sentinel-connector';
import { expect, test } from 'vitest';

test('the listener of a connection is ended once, however often a new master is looked for', async () => {
  const sentinels = [{ host: '127.0.0.1', port: 1 }];
  const connector = new MasterConnector({ sentinels, name: 'master', sentinelRetryStrategy: () => null });
  let ended = 0;
  connector['failoverDetector'] = {
    cleanup() {
      ended += 1;
    },
  } as never;
  for (let count = 0; count < 3; count++) {
    await expect(connector.connect(() => {})).rejects.toThrow('All sentinels are unreachable');
  }
  expect(ended).toBe(1);
});
