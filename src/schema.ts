import './accounts/applications/schema.ts';
import './accounts/passkeys/schema.ts';
import './accounts/recovery/schema.ts';
import './accounts/profile/schema.ts';
import './accounts/sessions/schema.ts';
import './accounts/sign-in/schema.ts';
import './accounts/providers/schema.ts';
import './accounts/tokens/schema.ts';
import './accounts/totp/schema.ts';
import './activity/schema.ts';
import './changes/schema.ts';
import './claims/schema.ts';
import './comments/schema.ts';
import './history/schema.ts';
import './history/trash-schema.ts';
import './notifications/schema.ts';
import './projects/schema.ts';
import './recurrence/schema.ts';
import './sync/schema.ts';
import './tags/schema.ts';
import './tasks/schema.ts';
import './tasks/schema-lists.ts';
import './webhooks/schema.ts';
import './workspaces/invitation-schema.ts';
import './workspaces/schema.ts';
import { builder } from './graphql/builder.ts';

/** Every module's types and fields. */
export const schema = builder.toSchema();
