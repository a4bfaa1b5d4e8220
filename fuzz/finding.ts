/** A response that is wrong. `check` names the rule, `detail` the observation. */
export interface Finding {
  readonly check: string
  readonly detail: string
}
