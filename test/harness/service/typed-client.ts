import { type ClientOptions, InventoryClient } from '@inventory/client';
import type { Service } from './service.ts';

type Options = Parameters<Service['client']>[0] & Omit<Partial<ClientOptions<false>>, 'exact'>;

/** The credentials of a new client of the service, for `new InventoryClient`. */
export async function credentialsFor(service: Service, options: Options = {}) {
  const { clientId, secret: clientSecret } = await service.client(options);
  return { baseUrl: options.baseUrl ?? service.baseUrl, clientId, clientSecret };
}

/** The published client, as a new client of the service. `options` of both. */
export async function typedClient(service: Service, options: Options = {}): Promise<InventoryClient> {
  const { baseUrl, ...ofService } = options;
  const credentials = await credentialsFor(service, ofService);
  return new InventoryClient({ ...credentials, ...options });
}
