import type { SecretBox } from '#src/platform/crypto.ts';
import type { PlatformServices } from '#src/platform/platform-services.ts';

/** What outreach takes. */
export interface OutreachServices extends PlatformServices {
  /** For the tokens of unsubscribe links, whose keys outlive those of `secrets`. */
  readonly unsubscribeSecrets: SecretBox;
}
