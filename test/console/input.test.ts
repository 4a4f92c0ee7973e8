import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { hasBrowser } from '../harness/pages/browser.ts';
import { openConsole, openForm, scanItem, signIn, startSlowly, typeInto } from '../harness/pages/console.ts';
import { pace, press, putIn, typeByHand, typeFast, wedge } from '../harness/pages/hands.ts';
import { holdAnswers } from '../harness/pages/hold-answers.ts';
import { useBrowser } from '../harness/pages/use-browser.ts';
import { uniqueName, useService } from '../harness/service/service.ts';
import { receiveLot } from '../harness/stock/stock.ts';

const service = useService();
const gtin = '04006381333931';

// Nothing else in these tests has these names.
const codes = {
  spot: 'A-01-1',
  'numeric spot': '1204',
  'spot without stock': 'Z-99',
  'eight digits': '40063814',
  'label of the item': `(01)${gtin}(10)LOT-77(17)310630(30)24`,
  'label with FNC1': `01${gtin}10LOT-77\u001d17310630`,
  'the item itself': 'OWN',
  'another item': 'OTHER',
  'lot of the item': 'own lot',
  'lot of another item': 'other lot',
} as const;
type Code = keyof typeof codes;

const labels = ['Units', 'Spot', 'Reason', 'Warehouse', 'Serial', 'Expires'];
const focuses = ['Scan', 'Confirm', ...labels];

describe.skipIf(!hasBrowser)('in a browser (skipped without Chromium)', () => {
  const browser = useBrowser();
  let client: Awaited<ReturnType<typeof service.client>>;
  let own: string;
  const texts: Record<string, string> = { ...codes };

  beforeAll(async () => {
    client = await service.client();
    own = await service.item();
    const other = await service.item();
    const { partNo } = (await client.get(`/Item?key=${own}&type=id`)).body;
    await service.sql`insert into item_alias (alias, part_no) values (${gtin}, ${partNo})`;
    const spare = await service.item();
    for (const spot of ['A-01-1', '1204']) await receiveLot(client, spare, 1, { spot });
    texts['the item itself'] = own;
    texts['another item'] = other;
    texts['lot of the item'] = 'OWN-SERIAL';
    texts['lot of another item'] = 'OTHER-SERIAL';
    await receiveLot(client, own, 5, { spot: 'A-01-1', serial: 'OWN-SERIAL' });
    await receiveLot(client, other, 5, { spot: 'A-01-1', serial: 'OTHER-SERIAL' });
  });

  async function openPage(finished = onTestFinished) {
    const { page } = await openConsole(await browser.newContext({}, finished), service);
    await signIn(page, client);
    const shownIn = (label: string) => page.getByLabel(label, { exact: true }).inputValue();
    const shown = async () =>
      Object.fromEntries(
        await Promise.all(['Scan', ...labels].map(async (label) => [label, await shownIn(label)])),
      );
    const focusOn = (name: string) =>
      (name === 'Confirm'
        ? page.getByRole('button', { name })
        : page.getByLabel(name, { exact: true })
      ).focus();
    const openReceive = async () => {
      const cancel = page.getByRole('button', { name: 'Cancel' });
      if ((await cancel.count()) > 0) await cancel.press('Enter');
      await scanItem(page, own);
      await openForm(page, 'Receive');
    };
    return { page, shownIn, shown, focusOn, openReceive };
  }

  // `fills`: the fields that a code fills in; all others stay. `told`: the words that the page shows.
  const label = { Serial: 'LOT-77', Expires: '2031-06-30' };
  const effects: Record<Code, { fills: Record<string, string>; told: string }> = {
    spot: { fills: { Spot: 'A-01-1' }, told: 'Spot A-01-1' },
    'numeric spot': { fills: { Spot: '1204' }, told: 'Spot 1204' },
    'spot without stock': { fills: {}, told: 'No match for “Z-99”' },
    'eight digits': { fills: {}, told: 'No match for “40063814”' },
    'label of the item': { fills: { ...label, Units: '24' }, told: 'From the label' },
    'label with FNC1': { fills: label, told: 'From the label' },
    'the item itself': { fills: {}, told: 'Nothing to fill in' },
    'another item': { fills: {}, told: 'Not of this form' },
    'lot of the item': { fills: { Serial: 'OWN-SERIAL' }, told: 'From the label' },
    'lot of another item': { fills: {}, told: 'Not of this form' },
  };

  // Every code with every focus; each with and without text before.
  test.concurrent.for(focuses.map((focus, at) => [focus, at] as const))(
    'a scan while the focus is on %s is taken as a scan, whatever was typed before',
    async ([focus, at], local) => {
      const { page, shown, focusOn, openReceive } = await openPage(local.onTestFinished);
      const results: Record<string, unknown> = {};
      const expected: Record<string, unknown> = {};
      for (const [place, code] of (Object.keys(codes) as Code[]).entries()) {
        const typed = (at + place) % 2 === 0 ? '' : '12';
        await openReceive();
        // Else another item's code may take its place.
        await typeInto(page, 'Reason', '7');
        if (focus !== 'Reason') await focusOn(focus);
        // Text typed on a button goes to the field Scan.
        if (typed !== '') await typeByHand(page, typed);
        const before = await shown();
        await wedge(page, texts[code]!);
        const { fills, told } = effects[code];
        await page.locator('form.work').getByText(told).first().waitFor();
        const units = focus === 'Units' && typed !== '' ? { Units: typed } : {};
        expected[code] = { ...before, ...fills, ...units };
        results[code] = await shown();
      }
      local.expect(results).toEqual(expected);
    },
  );

  test('a scanner is told from hands by its speed, also a slow one, one by radio, and hands that are fast', async () => {
    const { page, shownIn, focusOn, openReceive } = await openPage();
    const cases: [name: string, put: (code: string) => Promise<void>, isScan: boolean][] = [
      ['a slow scanner', (code) => wedge(page, code, { gapMs: pace.slowScanner }), true],
      ['a device that puts a code in at once', (code) => putIn(page, code), true],
      ['a hand', (code) => typeByHand(page, code, 'Enter'), false],
      ['a fast hand', (code) => typeFast(page, code), false],
    ];
    const results: unknown[] = [];
    for (const [name, put] of cases) {
      await openReceive();
      await focusOn('Serial');
      await put('1204');
      if (name.includes('hand')) await expect.poll(() => shownIn('Serial')).toBe('1204');
      else await expect.poll(() => shownIn('Spot')).toBe('1204');
      results.push([name, (await shownIn('Spot')) === '1204' && (await shownIn('Serial')) === '']);
    }
    expect(results).toEqual(cases.map(([name, , isScan]) => [name, isScan]));
  });

  test('a spot that never had stock is typed, or scanned and used; and what is typed stays in its field', async () => {
    const { page, shownIn, openReceive } = await openPage();
    for (const spot of ['1204-typed', 'B-07']) {
      await openReceive();
      await typeByHand(page, '2', 'Enter');
      await typeInto(page, 'Spot', spot);
      expect([await shownIn('Units'), await shownIn('Spot'), await shownIn('Reason')]).toEqual([
        '2',
        spot,
        '',
      ]);
    }
    const before = (await client.get('/Changes?after=now')).body.nextCursor;
    await openReceive();
    await typeByHand(page, '3', 'Enter');
    await wedge(page, 'NEW-1');
    await page.getByRole('button', { name: 'Use as spot' }).press('Enter');
    await typeByHand(page, '1', 'Enter', 'Enter');
    await page.getByText('Received 3 of').waitFor();
    const { value } = (await client.get(`/Changes?after=${before}`)).body;
    expect(value[0].lines).toMatchObject([{ delta: 3, spot: 'NEW-1' }]);
  });

  test('a code that is scanned while the page starts is read', async () => {
    const { page } = await openConsole(await browser.newContext(), service);
    await signIn(page, client, { isKept: true });
    const start = await startSlowly(page);
    await wedge(page, own, { since: start.beganAt + pace.hand });
    start.letGo();
    await page.getByRole('button', { name: 'Receive' }).waitFor();
    await page.getByRole('heading', { name: own }).waitFor();
    expect(await page.getByLabel('Scan', { exact: true }).inputValue()).toBe('');
  });

  test('of what may be the end of a code, nobody is asked, and it is scanned again', async () => {
    const context = await browser.newContext();
    const { page } = await openConsole(context, service);
    await signIn(page, client, { isKept: true });
    const told: string[] = [];
    const words = 'The start of this code may be missing. Scan it again.';
    page.on('request', (request) => request.url().endsWith('/Scan') && told.push(request.postData()!));
    const expectPart = async (name: string) => {
      await page.getByRole('alert').getByText(words).waitFor();
      await page.getByRole('heading', { name: '…', exact: true }).waitFor();
      expect([name, told, await page.getByLabel('Scan', { exact: true }).inputValue()]).toEqual([
        name,
        [],
        '',
      ]);
    };
    for (const [end, gapMs] of [
      [own.slice(1), pace.scanner],
      [own.slice(-1), pace.scanner],
      [own.slice(-3), pace.slowScanner + 5],
    ] as const) {
      const { letGo, beganAt } = await startSlowly(page);
      await wedge(page, end, { gapMs, since: beganAt + pace.slowScanner });
      letGo();
      await expectPart(end);
    }

    await page.evaluate(`for (const name of ['keydown', 'focus'])
      window.addEventListener(name, ({ timeStamp }) => { window.heardAt = performance.timeOrigin + timeStamp; })`);
    const heardAt = async () => Number(await page.evaluate('window.heardAt'));
    const pauses: Record<string, () => Promise<number>> = {
      'a dialog': async () => {
        await page.getByRole('button', { name: 'Camera' }).press('Enter');
        await page.locator('dialog').waitFor();
        await page.keyboard.press('Escape');
        const at = await heardAt();
        await page.locator('dialog').waitFor({ state: 'detached' });
        return at;
      },
      'another window': async () => {
        await page.evaluate(`window.dispatchEvent(new FocusEvent('focus'))`);
        return heardAt();
      },
      'a pause of the scanner': async () => {
        await press(page, [...own.slice(0, 4)], { gapMs: pace.scanner });
        return (await heardAt()) + 2 * pace.hand - pace.slowScanner;
      },
    };
    for (const [name, pause] of Object.entries(pauses)) {
      await wedge(page, 'OTHER-CODE-THAT-IS-WHOLE');
      await page.getByText('No match for').waitFor();
      told.splice(0);
      await wedge(page, own.slice(4), { since: (await pause()) + pace.slowScanner });
      await expectPart(name);
    }
    await wedge(page, own);
    await page.getByRole('button', { name: 'Receive' }).waitFor();
  });

  test('text that was put in just before a scan stays, and the scan is whole', async () => {
    const { page, shownIn } = await openPage();
    await page.evaluate(`window.addEventListener('input', ({ timeStamp }) => {
      window.heardAt = performance.timeOrigin + timeStamp;
    })`);
    const before: Record<string, () => Promise<void>> = {
      'two keys that roll': () => press(page, ['a', 'b'], { gapMs: 25 }),
      'a text at once': () => page.keyboard.insertText('ab'),
    };
    for (const [name, put] of Object.entries(before)) {
      await page.getByLabel('Scan', { exact: true }).focus();
      await page.keyboard.press('Control+A');
      await put();
      const heardAt = Number(await page.evaluate('window.heardAt'));
      await wedge(page, `CODE OF ${name}`, { since: heardAt + pace.hand });
      await page.getByText(`No match for “CODE OF ${name}”`).waitFor();
      expect([name, await shownIn('Scan')]).toEqual([name, 'ab']);
    }
  });

  test('of several matches the first has the focus, also if the scanner ends with a second Enter', async () => {
    const { page } = await openPage();
    const both = uniqueName('BOTH');
    await receiveLot(client, own, 4, { spot: uniqueName('SPOT'), serial: both });
    await receiveLot(client, own, 5, { spot: uniqueName('SPOT'), serial: both });
    const answers = await holdAnswers(page, '**/Scan');
    await wedge(page, both);
    await press(page, ['Enter']);
    answers.letGo();
    await page.getByRole('heading', { name: 'Several matches' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Several matches' }).waitFor({ state: 'detached' });
    await page.locator('main h1').first().waitFor();
    // An untouched form gives way to other things.
    await scanItem(page, texts['another item']!);
    await openForm(page, 'Receive');
    await wedge(page, both);
    await page.getByRole('heading', { name: 'Several matches' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Several matches' }).waitFor({ state: 'detached' });
  });

  test('only an untouched form gives way to another item', async () => {
    const { page, openReceive } = await openPage();
    await openReceive();
    await wedge(page, texts['another item']!);
    await page.getByRole('heading', { name: texts['another item']! }).waitFor();
    expect(await page.locator('form.work').count()).toBe(0);
  });
});
