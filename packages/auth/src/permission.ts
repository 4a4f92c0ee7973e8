/** The contract's security ids. */
export const Permission = {
  ItemMasterList: 11,
  LocateMoveUnits: 15,
  NegativeAdjustment: 88,
  PositiveAdjustment: 95,
  ModifyItemMaster: 116,
} as const;
export type Permission = (typeof Permission)[keyof typeof Permission];

/** The permission that each kind of stock transaction needs. */
export const transactionPermission = {
  receive: Permission.PositiveAdjustment,
  move: Permission.LocateMoveUnits,
  issue: Permission.NegativeAdjustment,
} as const;
