import { expect, test } from 'vitest';
import { errorObject, expectAnswer } from '../harness/contract/answers.ts';
import { useService } from '../harness/service/service.ts';

const service = useService();

test.each(['PurchaseOrder', 'ShippingOrder', 'WorkOrder', 'Report'])(
  '501: /%s, with any method and any sub-path; 404: another spelling',
  async (family) => {
    const client = await service.client({ permissions: [], warehouses: [], readOnly: true });
    const notAvailable = errorObject(501, 'not_implemented', 'This operation is not available.');
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      for (const path of ['', '/', '/1?page=0', '/1/Lines'])
        expectAnswer(await client.send(method, `/${family}${path}`), 501, notAvailable);
    }
    for (const path of [family.toLowerCase(), `${family}s`])
      expect((await client.get(`/${path}`)).status).toBe(404);
  },
);
