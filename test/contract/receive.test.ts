import { describe, expect, test } from 'vitest';
import { uniqueName, useService } from '../harness/service.ts';

const service = useService();

describe('POST /Inventory/Receive', () => {
  test('201: a new lot, with the number of the record and of the transaction', async () => {
    const client = await service.client();
    const itemID = await service.item({ description: 'Cable, 2 m' });
    const answer = await client.post('/Inventory/Receive', {
      itemID,
      units: 12.5,
      wid: 1,
      reasonCode: 7,
      spot: 'A-1',
    });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      recNo: expect.any(Number),
      status: 'received',
      transactionNo: expect.any(Number),
      lot: {
        recNo: answer.body.recNo,
        partNo: expect.any(Number),
        shortID: itemID,
        description: 'Cable, 2 m',
        associate: '',
        warehouse: 'Main',
        wID: 1,
        spot: 'A-1',
        units: 12.5,
        received: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        shipped: null,
        serial: '',
        serial2: null,
        rFIDTag: null,
        remark: '',
        hold: false,
        jobID: 0,
        jobName: null,
        active: true,
      },
    });
  });

  test('the lot of the answer is the lot of the list', async () => {
    const client = await service.client();
    const itemID = await service.item({ dfltOwner: 42 });
    const { body } = await client.post('/Inventory/Receive', {
      itemID,
      units: 999999999.999999,
      wid: 2,
      reasonCode: 0,
      serial: 'S',
      serial2: 'S2',
      rfidTag: 'R',
      remark: 'fragile',
      jobid: 9,
      expires: '2030-01-31',
    });
    const list = await client.get(`/Inventory/2?itemID=${itemID}`);
    expect(list.body.value).toEqual([body.lot]);
    expect(list.text).toContain('"units":999999999.999999');
  });

  test('400: every offending field is named, with what is wrong', async () => {
    const client = await service.client();
    const answer = await client.post('/Inventory/Receive', { units: 0, wid: '1', spot: 'x'.repeat(101) });
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({
      statusCode: 400,
      error: 'validation_error',
      message: 'One or more fields failed validation.',
      details: {
        itemID: ['itemID is required.'],
        units: ['units must be greater than 0.'],
        wid: ['wid must be an integer.'],
        reasonCode: ['reasonCode is required.'],
        spot: ['spot must be at most 100 characters long.'],
      },
    });
  });

  test('400: an item that is not known', async () => {
    const client = await service.client();
    const answer = await client.post('/Inventory/Receive', {
      itemID: uniqueName('NO'),
      units: 1,
      wid: 1,
      reasonCode: 0,
    });
    expect(answer.body).toEqual({
      statusCode: 400,
      error: 'validation_error',
      message: 'One or more fields failed validation.',
      details: { itemID: ['itemID is not a known item.'] },
    });
  });
});
