import { type SentinelConnectionOptions, SentinelConnector } from 'ioredis';

/**
 * How ioredis finds the master that Sentinels name, and hears from them when there is another; with two flaws
 * of its 6.0 mended. The Sentinels tell of a failover mostly while a connection looks for the new master,
 * because the old one is gone. What listened for the connection before would end the search then, and ioredis
 * takes that for the end of the connection, for good. And errors of the connections that only listen, to a
 * Sentinel that is down, were written to the console again and again.
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
    // Once: the search is made again many times, and each would leave a listener at the same sockets.
    this['failoverDetector'] = null;
    return super.connect(...options);
  }
}
