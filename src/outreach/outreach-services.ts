import type { SecretBox } from '#src/platform/crypto.ts';
import type { PlatformServices } from '#src/platform/platform-services.ts';

/** The services that outreach needs. */
export interface OutreachServices extends PlatformServices {
  /** Seals the tokens of unsubscribe links; its keys outlive those of `secrets`. */
  readonly unsubscribeSecrets: SecretBox;
}
