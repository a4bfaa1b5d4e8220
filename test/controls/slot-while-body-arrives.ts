import { Admission } from '../../src/api/admission.ts'

/** Broken on purpose: a request holds its slot while its body arrives, and any number of bodies may arrive. */
export class PlaceWhileBodyArrives extends Admission {
  override pause(): void {}
  override resume(): void {}
  override expectBody(): void {}
  override bodyEnded(): void {}
}
