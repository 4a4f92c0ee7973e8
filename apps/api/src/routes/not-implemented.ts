const families = ['PurchaseOrder', 'ShippingOrder', 'WorkOrder', 'Report'];

/** Methods a page of another origin may ask of them, to be told so. */
export const otherMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/**
 * Whether a path below the base path belongs to a resource family that exists but is not part of this service
 * yet.
 */
export function isOtherFamily(path: string): boolean {
  return families.includes(path.split('/')[1] ?? '');
}
