import { Admission } from '../../src/api/admission.ts'

/** Broken on purpose: a request holds its slot while its body arrives, and any number of bodies may arrive. */
export class SlotWhileBodyArrives extends Admission {
  override releaseSlot(): void {}
  override reacquireSlot(): void {}
  override reserveBody(): void {}
  override releaseBody(): void {}
}
