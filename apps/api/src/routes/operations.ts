import type { Examples } from '@inventory/domain/examples';
import type { AnyRequest, Kind } from '@inventory/domain/kinds/kind';
import {
  type KindName,
  kindNames,
  kindOf,
  namesItem,
  permissionOf,
  unknownSubject,
} from '@inventory/domain/kinds/kinds';
import type { Refusal } from '@inventory/domain/refusals/refused';
import { z } from 'zod';
import { answerBytes } from '../http/answer-bytes.ts';
import { noWarehouses, type Route, route } from '../http/route.ts';
import { type RouteDescription, refusalExample } from '../http/route-description.ts';
import { handlerOf, type Stock } from '../stock/transactions.ts';

/** The calls of one operation, one for each kind. */
export function operationRoutes(stock: Stock): Route[] {
  return kindNames.map((name) => {
    const { path, isExtension, call, answer, dryRun, status, words, warehouses } = kindOf(name);
    return route({
      method: 'POST',
      path: `/Inventory/${path}`,
      ...(isExtension && { isExtension }),
      summary: words.summary,
      permission: permissionOf(name),
      writes: true,
      body: call as z.ZodType<{ dryRun?: boolean | undefined }>,
      // Those of others are looked up. Outside the scope they get 404.
      warehouses: namesItem(name) ? ({ body }) => warehouses({ kind: name, body }) : noWarehouses,
      answer: { [status]: dryRun === null ? answer : z.discriminatedUnion('dryRun', [answer, dryRun]) },
      answerBytes: 'lots' in answer.shape ? ({ body }) => answerBytes.transact(body) : answerBytes.small,
      keyed: true,
      paged: 'never',
      notFound: namesItem(name) ? null : unknownSubject(name).message,
      description: describe(name, words),
      handle: handlerOf(stock, name),
    });
  });
}

function describe(name: KindName, words: Kind<AnyRequest>['words']): RouteDescription {
  const { notes, bodies, answers, refusals } = words;
  return {
    id: name,
    notes,
    body: bodies,
    answer: answers,
    invalid: refusalsWith('validation_error', refusals),
    conflict: refusalsWith('conflict', refusals),
  };
}

function refusalsWith(
  code: Refusal['code'],
  refusals: Record<string, { summary: string; refusal: Refusal }>,
): Examples {
  const those = Object.entries(refusals).filter(([, { refusal }]) => refusal.code === code);
  return Object.fromEntries(
    those.map(([key, { summary, refusal }]) => [key, refusalExample(summary, refusal)]),
  );
}
