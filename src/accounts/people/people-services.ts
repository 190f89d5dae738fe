import type { PlatformServices } from '#src/platform/platform-services.ts';
import type { SignIn } from './sign-in.ts';

/** The services for people who sign in. */
export interface PeopleServices extends PlatformServices {
  readonly signIn: SignIn;
}
