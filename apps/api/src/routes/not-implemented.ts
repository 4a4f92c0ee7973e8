const families = ['PurchaseOrder', 'ShippingOrder', 'WorkOrder', 'Report'];

/** Methods that a page of another origin may use on these paths, so that it can read the 501. */
export const otherMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/**
 * Whether a path below the base path belongs to a resource family that the contract has but this service does
 * not implement yet.
 */
export function isOtherFamily(path: string): boolean {
  return families.includes(path.split('/')[1] ?? '');
}
