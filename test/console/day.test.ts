import { describe, expect, test } from 'vitest';
import { hasBrowser } from '../harness/pages/browser.ts';
import {
  fillIn,
  openConsole,
  openForm,
  scanInto,
  scanItem,
  signIn,
  typeInto,
} from '../harness/pages/console.ts';
import { typeByHand, wedge } from '../harness/pages/hands.ts';
import { useBrowser } from '../harness/pages/use-browser.ts';
import { useService } from '../harness/service/service.ts';

const service = useService();
// About a second for each scan.
const dayMs = 1_200_000;

describe.skipIf(!hasBrowser)('in a browser (skipped without Chromium)', () => {
  const browser = useBrowser();

  test(
    'half a day by keys and bursts alone, beside a second device: 100 scans, 20 receipts, 10 moves, 30 issues, 5 counts, 3 undone, twice offline',
    async () => {
      const client = await service.client();
      const items = [await service.item(), await service.item(), await service.item()];
      const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
      const { page, complaints } = await openConsole(context, service);
      await signIn(page, client);
      // Somebody else works beside, with the same items in another spot.
      const { page: other } = await openConsole(
        await browser.newContext({ viewport: { width: 1280, height: 800 } }),
        service,
      );
      await signIn(other, client);

      // The stock in each item's spots, counting everything that the person was told is done.
      const stock = new Map(items.map((itemID) => [itemID, { 'A-1': 0, 'B-2': 0, 'C-3': 0 }]));
      const done = { scans: 0, receive: 0, move: 0, issue: 0, count: 0, undone: 0 };
      const finished = () => page.locator('form.work').waitFor({ state: 'detached' });
      const scan = async (itemID: string) => {
        await scanItem(page, itemID);
        done.scans += 1;
      };
      const receive = async (itemID: string, units: number) => {
        await openForm(page, 'Receive');
        await typeByHand(page, String(units), 'Enter');
        await scanInto(page, 'A-1', 'Spot');
        await typeInto(page, 'Reason', '1');
        await page.getByRole('button', { name: 'Confirm' }).press('Enter');
        await finished();
        stock.get(itemID)!['A-1'] += units;
        done.receive += 1;
      };
      const undo = async () => {
        await page.getByRole('button', { name: 'Undo' }).press('Enter');
        await page.getByText('Undid transaction').waitFor();
        done.undone += 1;
      };
      const workBeside = async (itemID: string) => {
        await scanItem(other, itemID);
        await openForm(other, 'Receive');
        await typeByHand(other, '2', 'Enter');
        await scanInto(other, 'C-3', 'Spot');
        await typeInto(other, 'Reason', '4');
        await other.getByRole('button', { name: 'Confirm' }).press('Enter');
        await other.getByText(`Received 2 of ${itemID} at C-3`).waitFor();
        stock.get(itemID)!['C-3'] += 2;
      };
      const offline = async (itemID: string) => {
        await context.setOffline(true);
        for (let waiting = 1; waiting <= 3; waiting++) {
          await wedge(page, itemID);
          done.scans += 1;
          await page.getByText('could not be looked up').waitFor();
          await receive(itemID, 2);
          await page.getByText(`Offline · ${waiting} waiting`).waitFor();
        }
        await context.setOffline(false);
        await page.locator('.badge a').waitFor({ state: 'detached' });
      };

      for (let round = 0; round < 10; round++) {
        const itemID = items[round % 3]!;
        const places = stock.get(itemID)!;
        if (round === 3 || round === 7) await offline(itemID);
        for (const units of round < 4 ? [10.5, 4] : [6]) {
          await scan(itemID);
          await receive(itemID, units);
        }
        if (round < 3) {
          // The last receipt was a mistake.
          await undo();
          places['A-1'] -= 4;
        }
        if (round % 4 === 0) await workBeside(itemID);
        await scan(itemID);
        await openForm(page, 'Move');
        await typeByHand(page, '3', 'Enter');
        await scanInto(page, 'A-1', 'From spot');
        await scanInto(page, 'B-2', 'To spot');
        await page.getByRole('button', { name: 'Confirm' }).press('Enter');
        await finished();
        places['A-1'] -= 3;
        places['B-2'] += 3;
        done.move += 1;
        for (const units of [1, 0.5, 1.5]) {
          await scan(itemID);
          await fillIn(page, 'Issue', { Units: String(units), Spot: 'B-2', Reason: '2' });
          await finished();
          places['B-2'] -= units;
          done.issue += 1;
        }
        if (round % 2 === 1) {
          await scan(itemID);
          const counted = places['A-1'] + (round % 4 === 1 ? 1 : -1);
          await fillIn(page, 'Count', { Counted: String(counted), Spot: 'A-1', Reason: '3' });
          await finished();
          places['A-1'] = counted;
          done.count += 1;
        }
      }
      for (let looked = 0; done.scans < 100; looked++) await scan(items[looked % 3]!);

      expect(done).toEqual({ scans: 100, receive: 20, move: 10, issue: 30, count: 5, undone: 3 });
      for (const itemID of items) {
        const { value } = (await client.get(`/Inventory/1?itemID=${itemID}&inStock=true&pageSize=250`)).body;
        const at = (spot: string) =>
          value
            .filter((lot: { spot: string }) => lot.spot === spot)
            .reduce((sum: number, { units }: { units: number }) => sum + units, 0);
        expect([itemID, at('A-1'), at('B-2'), at('C-3')]).toEqual([
          itemID,
          ...Object.values(stock.get(itemID)!),
        ]);
      }
      expect(complaints).toEqual([]);
      await context.close();
    },
    dayMs,
  );
});
