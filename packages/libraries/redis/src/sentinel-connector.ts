import { type SentinelConnectionOptions, SentinelConnector } from 'ioredis';

/**
 * Finds the master that Sentinels name and listens for failovers, with fixes for two faults of ioredis 6.0.
 * Failovers are mostly announced while a connection already looks for the new master, because the old one is
 * gone. The previous listener would then end that search, and ioredis would close the connection for good.
 * Also, errors of the listening connections, for a Sentinel that is down, were printed to the console again
 * and again.
 */
export class MasterConnector extends SentinelConnector {
  constructor(options: unknown) {
    super(options as SentinelConnectionOptions);
    const connectToSentinel = this['connectToSentinel'].bind(this);
    this['connectToSentinel'] = (...of: Parameters<typeof connectToSentinel>) => {
      const sentinel = connectToSentinel(...of);
      sentinel.on('error', () => {});
      return sentinel;
    };
  }

  override connect(...options: Parameters<SentinelConnector['connect']>) {
    this['failoverDetector']?.cleanup();
    // Only once: the search is repeated many times, and each time would leave a listener on the same sockets.
    this['failoverDetector'] = null;
    return super.connect(...options);
  }
}
