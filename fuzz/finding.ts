/** One rule that a response broke. `check` names the rule; `detail` says what was observed. */
export interface Finding {
  readonly check: string
  readonly detail: string
}
