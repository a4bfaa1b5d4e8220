/**
 * A model of one pet, its orders and the rules of its status. It is simple enough to verify by reading. The outcome of
 * a request is a text: `200`, `409 insufficient_stock`.
 */
export class ModelStore {
  quantity = 1
  onHold = false
  readonly open = new Map<bigint, number>()
  readonly complete = new Map<bigint, number>()
  /** The units of complete orders that came back. */
  readonly returned = new Map<bigint, number>()
  /** The references of the orders that have a reference, by order id. */
  readonly references = new Map<bigint, string>()

  get reserved(): number {
    return [...this.open.values()].reduce((sum, units) => sum + units, 0)
  }

  get status(): string {
    if (this.quantity === 0) return 'sold'
    return this.onHold || this.quantity === this.reserved ? 'pending' : 'available'
  }

  /** Returns the stock in the format that `stockOf` returns for the real store. */
  get stock(): string {
    return `${this.status} ${this.quantity}/${this.reserved}`
  }

  writeStatus(status: string): string {
    if (status === this.status) return '200'
    if (status === 'pending') {
      if (this.status !== 'available') return '409 invalid_status_transition'
      this.onHold = true
    } else if (status === 'available') {
      if (!this.onHold || this.quantity === this.reserved) return '409 invalid_status_transition'
      this.onHold = false
    } else {
      if (this.reserved > 0) return '409 invalid_status_transition'
      this.setQuantity(0)
    }
    return '200'
  }

  orderRefusal(units: number): string | undefined {
    if (this.onHold) return '409 pet_not_available'
    return units > this.quantity - this.reserved ? '409 insufficient_stock' : undefined
  }

  place(units: number, complete: boolean, id: bigint): void {
    if (complete) {
      this.setQuantity(this.quantity - units)
      this.complete.set(id, units)
    } else this.open.set(id, units)
  }

  change(id: bigint, units: number | undefined, complete: boolean | undefined): string {
    const completedUnits = this.complete.get(id)
    if (completedUnits !== undefined) {
      if (units !== undefined && units !== completedUnits) return '409 order_already_complete'
      return complete === false ? '409 order_already_complete' : '200'
    }
    const before = this.open.get(id)
    if (before === undefined) return '404 order_not_found'
    const after = units ?? before
    const refused = after > before ? this.orderRefusal(after - before) : undefined
    if (refused) return refused
    this.open.set(id, after)
    if (complete) {
      this.open.delete(id)
      this.complete.set(id, after)
      this.setQuantity(this.quantity - after)
    }
    return '200'
  }

  /** Takes units of a complete order back; all that are left if `units` is undefined. */
  giveBack(id: bigint, units: number | undefined, restock: boolean): string {
    if (this.open.has(id)) return '409 order_not_complete'
    const sold = this.complete.get(id)
    if (sold === undefined) return '404 order_not_found'
    const left = sold - (this.returned.get(id) ?? 0)
    const back = units ?? left
    if (left === 0 || back > left) return '409 return_exceeds_order'
    this.returned.set(id, sold - left + back)
    if (restock) this.quantity += back
    return '201'
  }

  cancel(id: bigint): string {
    if (this.complete.has(id)) return '409 order_already_complete'
    if (!this.open.delete(id)) return '404 order_not_found'
    this.references.delete(id)
    return '204'
  }

  setReference(id: bigint, reference: string | null): string {
    if (!this.open.has(id) && !this.complete.has(id)) return '404 order_not_found'
    if ((this.references.get(id) ?? null) === reference) return '200'
    if (reference === null) this.references.delete(id)
    else this.references.set(id, reference)
    return '200'
  }

  /** Returns the ids of the orders with this reference, in the order of the list of the real store. */
  orderIdsWith(reference: string): string {
    const ids = [...this.references].flatMap(([id, stored]) => (stored === reference ? [id] : []))
    return ids.sort((a, b) => (a < b ? -1 : 1)).join(' ')
  }

  count(quantity: number): string {
    if (quantity < this.reserved) return '409 stock_below_reserved'
    this.setQuantity(quantity)
    return '200'
  }

  adjust(change: number): string {
    if (this.quantity + change < this.reserved) return '409 stock_below_reserved'
    this.setQuantity(this.quantity + change)
    return '201'
  }

  private setQuantity(quantity: number): void {
    this.quantity = quantity
    if (quantity === 0) this.onHold = false
  }
}
