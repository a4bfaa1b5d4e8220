export type * from './api-types.ts'
export type { CallOptions, NoOptions, Read } from './call.ts'
export { type Client, type ClientOptions, createClient, createHostClient } from './client.ts'
export type { DeprecationNotice } from './deprecation.ts'
export { ApiError, ConnectionError, type Refusal, TimeoutError } from './errors.ts'
export type { FollowOptions } from './follow-events.ts'
export type { ListPage, PagedList } from './paged-list.ts'
export { setReorderLevel } from './reorder-level.ts'
export { type Fetch, toJson } from './request.ts'
export type { ApiResponse, NotModified } from './response.ts'
export { createSandbox, type RequestsPage, type SandboxClient, type SandboxOptions } from './sandbox.ts'
export type {
  BenchReport,
  FaultCondition,
  FaultEffect,
  FaultOperation,
  FaultOutcome,
  FaultRule,
  FaultRuleState,
  HostOperations,
  LoggedRequest,
  PlantableFault,
  Sandbox,
  SandboxState,
  SeedName,
  Snapshot,
} from './sandbox-api.ts'
export type { Retry } from './send.ts'
export { verifyWebhook, type WebhookRequest, WebhookVerificationError } from './webhook.ts'
