import { z } from 'zod';
import * as input from '../../src/accounts/input.ts';
import { maxFileBytes } from '../../src/platform/input.ts';
import { graphql } from '../graphql.ts';
import { sentAs } from '../json-schema.ts';
import { present, route, message } from '../route.ts';
import { added, allPreferences, preferences, preferencesOfContract, shownByContract } from './preferences.ts';
import { user } from './responses.ts';

const image = sentAs(z.instanceof(File, { error: 'must be a file' }), {
  type: 'string',
  contentMediaType: 'application/octet-stream',
  description: `JPEG or PNG, up to ${maxFileBytes} bytes.`,
});

const refused = z.undefined({ error: 'cannot be changed here' }).optional();

const preferenceChanges = z
  .object(preferences.body('update'))
  .omit(added)
  .extend({ automaticRemainder: refused, digestTime: refused });

/** Contract, 4.2. */
export const profile = [
  route({
    method: 'get',
    path: '/api/v1/user/profile',
    summary: "Reads the caller's profile",
    description: 'Includes whether the account has a password, and the URL of its avatar.',
    document: graphql('query GetProfile { viewer { ...UserFields } }', [user.fragment]),
    response: z.object({ user: user.response }),
    reply: ({ viewer }) => ({ user: present(viewer) }),
  }),
  route({
    method: 'post',
    path: '/api/v1/user/profile',
    summary: 'Changes name and avatar',
    description: 'The name is required: send the current one to keep it. Without an image, the avatar is kept.',
    body: 'multipart',
    input: z.object({ body: z.object({ name: input.profile.shape.name, image: image.optional() }) }),
    document: graphql(`
      mutation UpdateProfile($name: String!, $image: Upload) {
        updateProfile(name: $name, image: $image) {
          id
        }
      }
    `),
    ...message('user profile updated successfully'),
  }),
  route({
    method: 'put',
    path: '/api/v1/user/name',
    summary: 'Changes the name',
    description: 'The avatar is kept.',
    input: z.object({ body: input.profile }),
    document: graphql('mutation UpdateName($name: String!) { updateProfile(name: $name) { name } }'),
    response: z.object({ msg: z.string().meta({ examples: ['Name updated sucessfully to Anna'] }) }),
    reply: ({ updateProfile }) => ({ msg: `Name updated sucessfully to ${updateProfile.name}` }),
  }),
  route({
    method: 'put',
    path: '/api/v1/user/password',
    summary: "Changes the password and ends the account's other sessions",
    description:
      'The current password is required if the account has one (`isPasswordSet`), otherwise a sign-in within the last ten minutes.',
    errors: ['REAUTHENTICATION_REQUIRED'],
    input: z.object({ body: input.changePassword }),
    document: graphql(`
      mutation ChangePassword($currentPassword: String, $newPassword: String!, $confirmNewPassword: String!) {
        changePassword(
          currentPassword: $currentPassword
          newPassword: $newPassword
          confirmNewPassword: $confirmNewPassword
        ) {
          id
        }
      }
    `),
    ...message('Password updated sucessfully'),
  }),
  route({
    method: 'get',
    path: '/api/v1/user/user-preferences',
    summary: 'Reads the notification preferences',
    description: 'Returns which mails the caller receives, and when.',
    document: graphql('query GetPreferences { viewer { preferences { ...PreferencesFields } } }', [
      preferences.fragment,
    ]),
    response: preferencesOfContract,
    reply: ({ viewer }) => shownByContract(present(viewer).preferences),
  }),
  route({
    method: 'put',
    path: '/api/v1/user/user-preferences',
    summary: 'Changes notification preferences; omitted ones keep their values',
    description: 'At least one preference is required.',
    input: z.object({ body: preferenceChanges }),
    document: graphql(`
      mutation UpdatePreferences($input: UpdatePreferencesInput!) {
        updatePreferences(input: $input) {
          emailEnabled
        }
      }
    `),
    variables: ({ body }) => ({ input: body }),
    ...message('successfully updated the user preferences'),
  }),
  route({
    method: 'patch',
    path: '/api/v1/user/user-preferences',
    summary: 'Changes any preferences; omitted ones keep their values',
    description: 'At least one preference is required. Only `digestTime` can be null, which clears it.',
    isAddition: true,
    input: z.object({ body: z.object(preferences.body('update')) }),
    document: graphql(
      `
        mutation ChangePreferences($input: UpdatePreferencesInput!) {
          updatePreferences(input: $input) {
            ...PreferencesFields
          }
        }
      `,
      [preferences.fragment],
    ),
    variables: ({ body }) => ({ input: body }),
    response: allPreferences,
    reply: ({ updatePreferences }) => preferences.show(updatePreferences),
  }),
];
