/** Secrets at rest: AES-256-GCM under the deployment's key, bound to the row that holds them. */
export interface SecretBox {
  /** @param rowName what the value belongs to, such as `credential:12`; it must be the same when it is opened */
  seal(plain: string, rowName: string): string;
  /** @throws Error that says which key is missing, or that the value is damaged or belongs to another row */
  open(sealed: string, rowName: string): string;
}
