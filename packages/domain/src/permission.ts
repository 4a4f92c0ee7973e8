/** The security ids of the contract. */
export const Permission = {
  ItemMasterList: 11,
  LocateMoveUnits: 15,
  NegativeAdjustment: 88,
  PositiveAdjustment: 95,
  ModifyItemMaster: 116,
} as const;
export type Permission = (typeof Permission)[keyof typeof Permission];

/** The contract's name for each permission. */
export const permissionNames: Record<Permission, string> = {
  [Permission.ItemMasterList]: 'Item Master List',
  [Permission.LocateMoveUnits]: 'Locate/Move Units',
  [Permission.NegativeAdjustment]: 'Negative Adjustment',
  [Permission.PositiveAdjustment]: 'Positive Adjustment',
  [Permission.ModifyItemMaster]: 'Create/Modify Item Master Record',
};

/** The permissions that a client needs: one, all of several, or any of several. */
export type Needed = Permission | readonly Permission[] | { anyOf: readonly Permission[] };

/** The permissions that are named. */
export function permissionsIn(needed: Needed): readonly Permission[] {
  if (typeof needed === 'number') return [needed];
  return 'anyOf' in needed ? needed.anyOf : needed;
}
