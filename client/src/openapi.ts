export interface paths {
    "/api/v1/user/signup/send-otp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mails a six-digit code for sign-up
         * @description The code is valid for five minutes. An address can have five codes in 24 hours.
         */
        post: operations["requestSignUpCode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/user/signup/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Creates the account and signs in
         * @description Requires the code that was mailed to the address. The response sets the session cookie.
         */
        post: operations["signUp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/user/signin": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Signs in with e-mail address and password
         * @description The response sets the session cookie. If TOTP is enabled, `totp` is required in addition to the correct password.
         */
        post: operations["signIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth-check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns whether the caller is signed in, and their address
         * @description Never responds with 401. Without a session, `isAuthenticated` is false.
         */
        get: operations["checkSession"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/user/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ends the session
         * @description Deletes the session on the server and clears its cookie.
         */
        post: operations["signOut"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/user/password/send-otp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mails a six-digit code for a password reset
         * @description The code is valid for five minutes. An address can have five codes in 24 hours, counted separately from sign-up codes. An address without an account gets no mail but the same response.
         */
        post: operations["requestPasswordReset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/user/password/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sets a new password with a code and ends all sessions of the account
         * @description Requires the code that was mailed to the address. Passkeys and linked providers remain, unless `endOtherWaysIn` is true. It does not sign in.
         */
        post: operations["resetPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/user/profile": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Reads the caller's profile
         * @description Includes whether the account has a password, and the URL of its avatar.
         */
        get: operations["getProfile"];
        put?: never;
        /**
         * Changes name and avatar
         * @description The name is required: send the current one to keep it. Without an image, the avatar is kept.
         */
        post: operations["updateProfile"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/user/name": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Changes the name
         * @description The avatar is kept.
         */
        put: operations["updateName"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/user/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Changes the password and ends the account's other sessions
         * @description The current password is required if the account has one (`isPasswordSet`), otherwise a sign-in within the last ten minutes.
         */
        put: operations["changePassword"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/user/user-preferences": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Reads the notification preferences
         * @description Returns which mails the caller receives, and when.
         */
        get: operations["getPreferences"];
        /**
         * Changes notification preferences; omitted ones keep their values
         * @description At least one preference is required.
         */
        put: operations["updatePreferences"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Changes any preferences; omitted ones keep their values
         * @description At least one preference is required. Only `digestTime` can be null, which clears it.
         */
        patch: operations["changePreferences"];
        trace?: never;
    };
    "/api/v1/user/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the caller's sessions
         * @description The current session comes first. The others are ordered by last use.
         */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        /**
         * Ends all sessions of the caller except the current one
         * @description Also closes their open connections. Requires a sign-in within the last ten minutes.
         */
        delete: operations["endOtherSessions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/user/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Ends a session of the caller
         * @description Also closes its open connections. For the current session this is a logout. Another session requires a sign-in within the last ten minutes.
         */
        delete: operations["endSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/user": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Deletes the account and its data
         * @description The password is required if the account has one (`isPasswordSet`), otherwise a sign-in within the last ten minutes. Workspaces without other members are deleted too. Other workspaces keep their tasks.
         */
        delete: operations["deleteAccount"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/{provider}/link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Starts to link an external provider to the account
         * @description Returns the URL of the provider for the browser. Requires a sign-in within the last ten minutes.
         */
        post: operations["linkProvider"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/projects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the projects
         * @description Returns the inbox, personal projects, and projects of the caller's workspaces.
         */
        get: operations["listProjects"];
        put?: never;
        /**
         * Creates a project, personal or in a workspace
         * @description Exactly one of `personal: true` and `workspaceId` is required. FORBIDDEN if the caller is not a member of the workspace.
         */
        post: operations["createProject"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/projects/inbox": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Reads the inbox
         * @description The inbox holds the tasks without a project. Each account has exactly one.
         */
        get: operations["getInbox"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/projects/personal": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the personal projects whose name contains the search
         * @description Case is ignored. An empty search returns all personal projects.
         */
        get: operations["listPersonalProjects"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/projects/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Reads a project
         * @description Its `todos` are always empty: list its tasks by its sections or by `/api/v2/todo`.
         */
        get: operations["getProject"];
        /**
         * Changes name and view mode of a project
         * @description At least one of `name` and `taskDisplayPreferences` is required.
         */
        put: operations["updateProject"];
        post?: never;
        /**
         * Deletes a project with all its sections and tasks
         * @description They can be restored from the trash. The inbox cannot be deleted.
         */
        delete: operations["deleteProject"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/projects/{id}/sections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the sections of a project with their tasks
         * @description Sections and their tasks are ordered by sort key.
         */
        get: operations["listSections"];
        put?: never;
        /**
         * Creates a section at the end of the project
         * @description Returns the section with its sort key.
         */
        post: operations["createSection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/projects/{id}/sections/{sectionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Deletes a section; its tasks are kept
         * @description Its tasks stay in the project, outside of any section.
         */
        delete: operations["deleteSection"];
        options?: never;
        head?: never;
        /**
         * Renames a section or moves it, within the project or to another one
         * @description `prevIndex` and `nextIndex` are the sort keys of the sections before and after the new place. Null is the start or the end.
         */
        patch: operations["updateSection"];
        trace?: never;
    };
    "/api/v2/todo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists tasks with their tags and subtasks
         * @description Returns open and completed tasks unless `completed` is set. With `tagIds`, returns tasks that have at least one of the tags.
         */
        get: operations["listTasks"];
        put?: never;
        /**
         * Creates a task
         * @description Without `projectId` the task is created in the inbox. Omitted fields are null or false.
         */
        post: operations["createTask"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/todo/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Searches tasks and tags, best first
         * @description Matches titles and descriptions of tasks, and names of tags.
         */
        get: operations["searchTasks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/todo/assigned": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the tasks that are assigned to a user
         * @description All tasks that the caller can see. As in the list of tasks, but without `children`.
         */
        get: operations["listAssignedTasks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/todo/bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Deletes many tasks with their subtasks
         * @description Ids of tasks that do not exist, or that the caller cannot see, are skipped.
         */
        delete: operations["deleteTasks"];
        options?: never;
        head?: never;
        /**
         * Sets the same values on many tasks
         * @description Ids of tasks that do not exist, or that the caller cannot see, are skipped.
         */
        patch: operations["updateTasks"];
        trace?: never;
    };
    "/api/v2/todo/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Reads a task with its tags and subtasks
         * @description Returns the same shape as the list.
         */
        get: operations["getTask"];
        put?: never;
        post?: never;
        /**
         * Deletes a task with its subtasks
         * @description They can be restored from the trash.
         */
        delete: operations["deleteTask"];
        options?: never;
        head?: never;
        /**
         * Changes a task; unspecified fields are unchanged
         * @description `tags` replaces all tags of the task. Null clears a field.
         */
        patch: operations["updateTask"];
        trace?: never;
    };
    "/api/v2/todo/{id}/move": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Moves a task next to a sibling, or below another parent
         * @description Send `after` or `before` with the id of a task that has the same project and parent. Or send `parentId`, null for the top level.
         */
        post: operations["moveTask"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/tag": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the tags by name, with their numbers of tasks
         * @description With `search`, returns tags whose name contains it, ignoring case. With `ids`, returns only those tags.
         */
        get: operations["listTags"];
        put?: never;
        /**
         * Creates a tag
         * @description Names are unique for each account. Without `color` a random one is chosen.
         */
        post: operations["createTag"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/tag/count": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Counts the tags
         * @description Counts the tags of the caller.
         */
        get: operations["countTags"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/tag/bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Deletes tags and removes them from all tasks
         * @description Ids of tags that do not exist are skipped.
         */
        delete: operations["deleteTags"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/tag/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Changes name and colour of a tag
         * @description At least one of `name` and `color` is required.
         */
        patch: operations["updateTag"];
        trace?: never;
    };
    "/api/v2/workspaces": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the workspaces that the caller is a member of
         * @description Ordered by creation. The members of each are ordered by joining.
         */
        get: operations["listWorkspaces"];
        put?: never;
        /**
         * Creates a workspace
         * @description The caller is its only member. An account has up to 100.
         */
        post: operations["createWorkspace"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/workspaces/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Renames a workspace
         * @description Needs the role `admin`.
         */
        put: operations["updateWorkspace"];
        post?: never;
        /**
         * Deletes a workspace with all its contents
         * @description Only the last member may do so: 403 if there are others.
         */
        delete: operations["deleteWorkspace"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/workspaces/{id}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the members of a workspace with their roles
         * @description Ordered by joining.
         */
        get: operations["listMembers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/workspaces/{id}/members/{userId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Changes the role of a member
         * @description Needs the role `admin`. 403 for the last `admin`. Invitations by a demoted member end.
         */
        put: operations["setMemberRole"];
        post?: never;
        /**
         * Ends a membership
         * @description Needs the role `admin`. With their own id, callers leave, with any role. The member's tags are removed from the tasks. The last `admin` receives 403 and can give another member this role, or as the last member delete the workspace.
         */
        delete: operations["removeMember"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/todo/{id}/comments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the comments on a task, the oldest first
         * @description Everybody who sees a task sees its comments.
         */
        get: operations["listComments"];
        put?: never;
        /**
         * Comments on a task
         * @description `@` and the id of a member of the space mention that member.
         */
        post: operations["createComment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/comments/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Searches comments, newest first
         * @description Finds comments with all the words, or words that begin with them.
         */
        get: operations["searchComments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/comments/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Deletes a comment
         * @description Its author may delete it, and an administrator of the workspace.
         */
        delete: operations["deleteComment"];
        options?: never;
        head?: never;
        /**
         * Changes the text of a comment
         * @description Only its author may change it.
         */
        patch: operations["updateComment"];
        trace?: never;
    };
    "/api/v2/operations/{id}/undo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Undoes an operation
         * @description Undoes a write by its `X-Operation-Id`, or by the `Idempotency-Key` that the caller gave it. Values that were changed since are conflicts and stay. With `dryRun`, the effect is only reported.
         */
        post: operations["undoOperation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/trash": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists deleted entities that can be restored, newest first
         * @description Each entry is the root of a deletion. `entities` counts everything that was deleted with it.
         */
        get: operations["listTrash"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/trash/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restores deleted entities
         * @description Restores entries of the trash, including everything that was deleted with them.
         */
        post: operations["restoreEntries"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/todo/{id}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the changes of a task, newest first
         * @description Shows the actor, time and fields of each change within the retention period.
         */
        get: operations["todoHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the changes of tasks after a cursor, or returns the current cursor
         * @description Start without a cursor to get the current one, then continue from it. If `hasMore` is true, more changes are available at once.
         */
        get: operations["listChanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/sync": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Updates a replica of the caller's data from a cursor, or loads it
         * @description Start without a cursor, apply the batch, and continue from its cursor until `hasMore` is false. With `Accept: text/event-stream`, later batches follow as changes happen.
         */
        get: operations["sync"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/workspaces/{id}/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the open invitations of a workspace
         * @description Newest first. Invitations expire after 14 days.
         */
        get: operations["listWorkspaceInvitations"];
        put?: never;
        /**
         * Invites the owner of an e-mail address
         * @description Sends a mail to the address, whether or not it has an account. If the address already has an open invitation, that invitation gets the role and is returned, and no mail is sent.
         */
        post: operations["inviteToWorkspace"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/workspaces/{id}/invitations/{invitationId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revokes an invitation of a workspace
         * @description Needs the role `admin`.
         */
        delete: operations["revokeInvitation"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the open invitations to the caller's address
         * @description The newest comes first.
         */
        get: operations["listInvitations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/invitations/{id}/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Accepts an invitation
         * @description Makes the caller a member. The invitation must be to the caller's address.
         */
        post: operations["acceptInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/invitations/{id}/decline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Declines an invitation
         * @description Ends an invitation to the caller's address.
         */
        post: operations["declineInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/todo/{id}/reminders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the caller's own reminders of a task
         * @description The planned reminder comes first, then past ones, latest first. At most 20.
         */
        get: operations["listReminders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/digest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Previews the caller's digest as it would be sent now
         * @description Works even if the digest is off. Tasks have the shape of the search.
         */
        get: operations["getDigest"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the caller's planned and past mails
         * @description Ordered by planned time, latest first. Mails are kept for 90 days.
         */
        get: operations["listDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/notifications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the caller's notifications, newest first
         * @description An entry for each task. Tasks have the shape of the search. Events are kept for 90 days.
         */
        get: operations["listNotifications"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/notifications/read": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Marks notifications as read
         * @description Without `taskIds`, of all tasks. With `until`, events that came later stay unread.
         */
        post: operations["readNotifications"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/todo/{id}/muted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Mutes a task, or ends that
         * @description The caller's own setting. Comments on a muted task notify the caller only if they mention them.
         */
        put: operations["muteTask"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/todo/{id}/recurrence": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Reads how a task repeats
         * @description Null: it does not repeat.
         */
        get: operations["getRecurrence"];
        /**
         * Sets how a task repeats
         * @description The due date and time of the task become the date and time of the series. Without a due date, the task gets the first day from today that fits the rule. In a new series, `basis` is by default `schedule`, `timeZone` that of the caller's preferences, and `start` the due date.
         */
        put: operations["setRecurrence"];
        post?: never;
        /**
         * Ends the series of a task
         * @description The task stays, and does not repeat any more.
         */
        delete: operations["endRecurrence"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/todo/{id}/skip": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Moves a task to the next date of its series
         * @description Its subtasks' dates move along. Refused if the task is completed or does not repeat, or if there is no later date.
         */
        post: operations["skipOccurrence"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/recurrence": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Previews the recurrence of a task
         * @description Without `dueDate` and `dueTime`, the series begins on the first day from today that fits the rule. Without `dueTime`, it is all day. In a new series, `basis` is by default `schedule`, `timeZone` that of the caller's preferences, and `start` the due date.
         */
        get: operations["previewRecurrence"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/todo/{id}/assignees": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the assignees of a task
         * @description Up to ten members, in the order of assignment.
         */
        get: operations["listAssignees"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/todo/{id}/assignees/{userId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Assigns a member to a task
         * @description Changes nothing if the member is assigned. Any other user than a member of the task's space: 400.
         */
        put: operations["addAssignee"];
        post?: never;
        /**
         * Removes an assignee from a task
         * @description Changes nothing if the user is not assigned.
         */
        delete: operations["removeAssignee"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/claims": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists claims on tasks
         * @description The newest 1,000 on tasks that the caller sees, the newest first.
         */
        get: operations["listClaims"];
        put?: never;
        /**
         * Claims a task, or the first one that matches a filter
         * @description Others cannot claim it until the claim ends. A filter takes the first open, unclaimed task: by priority, due date and time, sort key, id. `claim` and `todo` are null if no task matches.
         */
        post: operations["claimTask"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/claims/{fence}/renew": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Renews a claim
         * @description Only the session or token that claimed the task may. No change is reported.
         */
        post: operations["renewClaim"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/claims/{fence}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Releases a claim
         * @description A token releases its own claims. A session releases any claim on a task that it may change.
         */
        delete: operations["releaseClaim"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the caller's webhooks
         * @description By creation. An access token sees only its own.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Creates a webhook
         * @description It begins with the next change. An account has up to 20. A session requires a sign-in within the last ten minutes.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Deletes a webhook
         * @description It sends nothing more.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        /**
         * Changes a webhook, pauses or resumes it, or moves its position
         * @description A new `url` requires a sign-in within the last ten minutes, if the caller is a session.
         */
        patch: operations["updateWebhook"];
        trace?: never;
    };
    "/api/v2/webhooks/{id}/secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Gives a webhook a new secret
         * @description The secret before signs, too, for 24 hours. A session requires a sign-in within the last ten minutes.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/webhooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sends a test message to a webhook
         * @description Of the type `ping`, at once, in any state. It moves nothing.
         */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/webhooks/{id}/attempts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the last 50 attempts of a webhook
         * @description Newest first.
         */
        get: operations["listWebhookAttempts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/providers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the external sign-in providers
         * @description Requires no session.
         */
        get: operations["listProviders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/{provider}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Redirects the browser to an external provider to sign in
         * @description For a link or form of a page, not for a script. It never links an account: the sign-in replaces the session of the browser. Access tokens are FORBIDDEN.
         */
        get: operations["startProviderSignIn"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/{provider}/callback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Completes the sign-in or link at an external provider
         * @description The redirect URI that is registered with the provider. It completes, once, a sign-in or link that this browser began. Access tokens are FORBIDDEN.
         */
        get: operations["finishProviderSignIn"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Streams changes of tasks as Server-Sent Events
         * @description Send the id of the last event as `Last-Event-ID` to resume. Browsers do so automatically.
         */
        get: operations["streamChanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Exports all the caller's data
         * @description One JSON document with the account, its preferences and sessions, workspaces, projects, sections, tags and tasks.
         */
        get: operations["exportData"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description Why a request was refused. */
        Error: {
            /**
             * @description The reason as a sentence for people.
             * @example title is required and must be a string
             */
            message: string;
            /**
             * @description The reason for programs.
             * @enum {string}
             */
            code: "VALIDATION_FAILED" | "CURSOR_EXPIRED" | "UNAUTHENTICATED" | "FORBIDDEN" | "REAUTHENTICATION_REQUIRED" | "SECOND_FACTOR_REQUIRED" | "NOT_FOUND" | "IDEMPOTENCY_KEY_IN_USE" | "TASK_CLAIMED" | "CLAIM_LOST" | "IDEMPOTENCY_KEY_REUSED" | "RATE_LIMITED" | "SUBSCRIBER_TOO_SLOW" | "GOING_AWAY" | "UNAVAILABLE" | "INTERNAL";
            /** @description Problems of a VALIDATION_FAILED request, each with its field. */
            errors?: {
                /**
                 * @description Name of the field. Empty if the whole request is wrong.
                 * @example title
                 */
                path: string;
                /** @example is required and must be a string */
                message: string;
            }[];
        };
        /** @description Whether the caller is signed in, and their address. */
        AuthCheck: {
            isAuthenticated: boolean;
            /**
             * @description Address of the account, if there is a session.
             * @example anna@example.com
             */
            email?: string | null;
        };
        /** @description An account, as its user sees it. */
        User: {
            /**
             * @description Id of the user.
             * @example user_01kax2w3zsfq1bq9rm3p2y6x4d
             */
            id: string;
            /** @description Display name. Null until it is set. */
            name: string | null;
            /**
             * @description The address that signs in, in lower case.
             * @example anna@example.com
             */
            email: string | null;
            /** @description Absolute URL of the avatar, readable without a session. Null if none was uploaded. */
            image: string | null;
            /** @description Whether a password is set. False for a new account of an external provider. */
            isPasswordSet: boolean;
            /** @description Whether the account is linked to an external provider. */
            isOAuthLinked: boolean;
            /** @description Name of the linked external provider. */
            provider: string | null;
            /** @description Time of the sign-up. */
            createdAt: string | null;
        };
        /** @description The mails that an account receives, and their times. */
        Preferences: {
            /** @description Whether mails are sent. Codes and notices are always sent. */
            emailEnabled: boolean;
            /** @description Minutes between the reminder of a task and its due time, 0 to 40,320. */
            reminderBefore: number;
            /** @description Whether reminders are sent. */
            taskRemainders: boolean;
            /** @description Whether a new task with a due date has a reminder by default. */
            automaticRemainder: boolean;
            /** @description Whether a daily mail lists due tasks. */
            dailyDigest: boolean;
            /**
             * @description Local time of the digest, as HH:MM. 08:00 if null.
             * @example 08:00
             */
            digestTime: string | null;
        };
        /** @description The mails that an account receives, their times, and its time zone. */
        AllPreferences: {
            /** @description Whether mails are sent. Codes and notices are always sent. */
            emailEnabled: boolean;
            /** @description Minutes between the reminder of a task and its due time, 0 to 40,320. */
            reminderBefore: number;
            /** @description Whether reminders are sent. */
            taskRemainders: boolean;
            /** @description Whether a new task with a due date has a reminder by default. */
            automaticRemainder: boolean;
            /** @description Whether a daily mail lists due tasks. */
            dailyDigest: boolean;
            /**
             * @description Local time of the digest, as HH:MM. 08:00 if null.
             * @example 08:00
             */
            digestTime: string | null;
            /**
             * @description IANA name.
             * @example Europe/Berlin
             */
            timeZone: string;
            /**
             * @description Which mails about unread notifications are sent.
             * @enum {string}
             */
            activityMails: "all" | "direct" | "none";
        };
        /** @description One of the caller's sessions. */
        Session: {
            /**
             * @description Id of the session.
             * @example sess_01kax2w3zsfq1bq9rm3p2y6x4d
             */
            id: string;
            /** @description Browser and system that the client named at sign-in, such as `Firefox on Linux`, or `Unknown device`. */
            device: string;
            /**
             * Format: date-time
             * @description Time of the sign-in or sign-up.
             * @example 2026-11-23T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description Time of the last use, to the hour.
             * @example 2026-11-23T09:30:00.000Z
             */
            lastUsedAt: string;
            /** @description Whether this request uses it. */
            current: boolean;
        };
        /** @description A project. */
        Project: {
            /**
             * @description Id of the project.
             * @example proj_01kax2w3zsfq1bq9rm3p2y6x4d
             */
            id: string;
            name: string;
            /** @description True if only its owner sees it. False for a project of a workspace. */
            personal: boolean;
            /** @description URL-safe form of the name. */
            slug: string | null;
            /** @description True only for the inbox. */
            isDefault: boolean;
            /** @description How tasks are shown. Null if no view mode was chosen. */
            taskDisplayPreferences: {
                /** @enum {string} */
                viewMode: "list" | "board" | "calendar";
            } | null;
        };
        /** @description A single project. */
        ProjectWithTodos: {
            /**
             * @description Id of the project.
             * @example proj_01kax2w3zsfq1bq9rm3p2y6x4d
             */
            id: string;
            name: string;
            /** @description True if only its owner sees it. False for a project of a workspace. */
            personal: boolean;
            /** @description URL-safe form of the name. */
            slug: string | null;
            /** @description True only for the inbox. */
            isDefault: boolean;
            /** @description How tasks are shown. Null if no view mode was chosen. */
            taskDisplayPreferences: {
                /** @enum {string} */
                viewMode: "list" | "board" | "calendar";
            } | null;
            /** @description Always empty. Read tasks through their own endpoints. */
            todos: components["schemas"]["ListedTask"][];
        };
        /** @description A task with its tags and all its subtasks. */
        ListedTask: {
            /**
             * @description Id of the task.
             * @example task_01kax2w3zsfq1bq9rm3p2y6x4d
             */
            id: string;
            /** @description 1 to 500 characters. */
            title: string;
            /** @description Plain text, up to 16,384 characters. */
            description: string | null;
            /** @description Priority. Null if none is set. */
            priority: ("high" | "medium" | "low") | null;
            /** @description Due date. */
            dueDate: string | null;
            /** @description Due time. Null unless `isAllDay` is false. */
            dueTime: string | null;
            /** @description Whether the task takes the whole due date. */
            isAllDay: boolean | null;
            /** @description Whether the task is done. Its subtasks have their own state. */
            completed: boolean;
            /** @description Completion time. Null if the task is open. */
            completedAt: string | null;
            /** @description Hex colour: #RGB, #RRGGBB or #RRGGBBAA. */
            color: string | null;
            /**
             * @description Position of the task in its project, compared bytewise.
             * @example a0
             */
            sortKey: string;
            /** @description Whether the task has a reminder. */
            reminder: boolean;
            parentId: string | null;
            projectId: string | null;
            projectSectionId: string | null;
            /** @description The caller's tags on the task. */
            tags: components["schemas"]["Tag"][];
            /** @description Its subtasks. */
            children: components["schemas"]["ListedTask"][];
        };
        /** @description A tag of the caller. */
        Tag: {
            /**
             * @description Id of the tag.
             * @example tag_01kax2w3zsfq1bq9rm3p2y6x4d
             */
            id: string;
            /** @description Unique among the caller's tags. */
            name: string;
            /** @enum {string} */
            color: "blue" | "red" | "green" | "yellow" | "purple" | "orange" | "pink";
        };
        /** @description A section with its tasks. */
        SectionWithTodos: {
            /**
             * @description Id of the section.
             * @example sect_01kax2w3zsfq1bq9rm3p2y6x4d
             */
            id: string;
            name: string;
            /**
             * @description Position in the project. Sections are sorted by it bytewise.
             * @example a0
             */
            sortKey: string;
            /**
             * @description Id of the project.
             * @example proj_01kax2w3zsfq1bq9rm3p2y6x4d
             */
            projectId: string;
            /** @description Top-level tasks, by sort key. */
            todos: components["schemas"]["ListedTask"][];
        };
        /** @description A section of a project. */
        Section: {
            /**
             * @description Id of the section.
             * @example sect_01kax2w3zsfq1bq9rm3p2y6x4d
             */
            id: string;
            name: string;
            /**
             * @description Position in the project. Sections are sorted by it bytewise.
             * @example a0
             */
            sortKey: string;
            /**
             * @description Id of the project.
             * @example proj_01kax2w3zsfq1bq9rm3p2y6x4d
             */
            projectId: string;
        };
        /** @description A task, as create and update return it. */
        Task: {
            /**
             * @description Id of the task.
             * @example task_01kax2w3zsfq1bq9rm3p2y6x4d
             */
            id: string;
            /** @description 1 to 500 characters. */
            title: string;
            /** @description Plain text, up to 16,384 characters. */
            description: string | null;
            /** @description Priority. Null if none is set. */
            priority: ("high" | "medium" | "low") | null;
            /** @description Due date. */
            dueDate: string | null;
            /** @description Due time. Null unless `isAllDay` is false. */
            dueTime: string | null;
            /** @description Whether the task takes the whole due date. */
            isAllDay: boolean | null;
            /** @description Whether the task is done. Its subtasks have their own state. */
            completed: boolean;
            /** @description Completion time. Null if the task is open. */
            completedAt: string | null;
            /** @description Hex colour: #RGB, #RRGGBB or #RRGGBBAA. */
            color: string | null;
            /**
             * @description Position of the task in its project, compared bytewise.
             * @example a0
             */
            sortKey: string;
            /** @description Whether the task has a reminder. */
            reminder: boolean;
            parentId: string | null;
            projectId: string | null;
            projectSectionId: string | null;
        };
        /** @description A task, as the search shows it. */
        FoundTask: {
            /**
             * @description Id of the task.
             * @example task_01kax2w3zsfq1bq9rm3p2y6x4d
             */
            id: string;
            /** @description 1 to 500 characters. */
            title: string;
            /** @description Plain text, up to 16,384 characters. */
            description: string | null;
            /** @description Priority. Null if none is set. */
            priority: ("high" | "medium" | "low") | null;
            /** @description Due date. */
            dueDate: string | null;
            /** @description Whether the task is done. Its subtasks have their own state. */
            completed: boolean;
            parentId: string | null;
            projectId: string | null;
        };
        /** @description A task with its tags, assignees and creator. */
        TaskWithAssignees: {
            /**
             * @description Id of the task.
             * @example task_01kax2w3zsfq1bq9rm3p2y6x4d
             */
            id: string;
            /** @description 1 to 500 characters. */
            title: string;
            /** @description Plain text, up to 16,384 characters. */
            description: string | null;
            /** @description Priority. Null if none is set. */
            priority: ("high" | "medium" | "low") | null;
            /** @description Due date. */
            dueDate: string | null;
            /** @description Due time. Null unless `isAllDay` is false. */
            dueTime: string | null;
            /** @description Whether the task takes the whole due date. */
            isAllDay: boolean | null;
            /** @description Whether the task is done. Its subtasks have their own state. */
            completed: boolean;
            /** @description Completion time. Null if the task is open. */
            completedAt: string | null;
            /** @description Hex colour: #RGB, #RRGGBB or #RRGGBBAA. */
            color: string | null;
            /**
             * @description Position of the task in its project, compared bytewise.
             * @example a0
             */
            sortKey: string;
            /** @description Whether the task has a reminder. */
            reminder: boolean;
            parentId: string | null;
            projectId: string | null;
            projectSectionId: string | null;
            /** @description The caller's tags on the task. */
            tags: components["schemas"]["Tag"][];
            /** @description Ids of the assignees, in the order of assignment. */
            assigneeIds: string[];
            createdById: string | null;
        };
        /** @description A tag with its number of tasks. */
        CountedTag: {
            /**
             * @description Id of the tag.
             * @example tag_01kax2w3zsfq1bq9rm3p2y6x4d
             */
            id: string;
            /** @description Unique among the caller's tags. */
            name: string;
            /** @enum {string} */
            color: "blue" | "red" | "green" | "yellow" | "purple" | "orange" | "pink";
            _count: {
                /** @description Number of tasks with the tag. */
                todos: number;
            };
        };
        /** @description A workspace with its members. */
        Workspace: {
            /**
             * @description Id of the workspace.
             * @example wksp_01kax2w3zsfq1bq9rm3p2y6x4d
             */
            id: string;
            name: string;
            members: components["schemas"]["Member"][];
        };
        /** @description A member of a workspace. */
        Member: {
            /**
             * @description Id of the user.
             * @example user_01kax2w3zsfq1bq9rm3p2y6x4d
             */
            id: string;
            /** @description Display name. Null until it is set. */
            name: string | null;
            /**
             * @description The address that signs in, in lower case.
             * @example anna@example.com
             */
            email: string | null;
            /** @description Absolute URL of the avatar, readable without a session. Null if none was uploaded. */
            image: string | null;
        };
        /** @description A member of a workspace with their role. */
        Membership: {
            /**
             * @description Id of the user.
             * @example user_01kax2w3zsfq1bq9rm3p2y6x4d
             */
            id: string;
            /** @description Display name. Null until it is set. */
            name: string | null;
            /**
             * @description The address that signs in, in lower case.
             * @example anna@example.com
             */
            email: string | null;
            /** @description Absolute URL of the avatar, readable without a session. Null if none was uploaded. */
            image: string | null;
            /**
             * @description Role of the member.
             * @enum {string}
             */
            role: "viewer" | "commenter" | "editor" | "admin";
            /**
             * Format: date-time
             * @description Time of joining.
             * @example 2026-11-23T09:30:00.000Z
             */
            joinedAt: string;
        };
        /** @description A comment on a task. */
        Comment: {
            /**
             * @description Id of the comment.
             * @example cmnt_01kax2w3zsfq1bq9rm3p2y6x4d
             */
            id: string;
            /**
             * @description Id of the task.
             * @example task_01kax2w3zsfq1bq9rm3p2y6x4d
             */
            taskId: string;
            /** @description Plain text, 1 to 16,384 characters. `@` and the id of a member of the space mention that member, such as `@user_01k8m3f5s8e5bb9g0q2v7x4c6d`. */
            text: string;
            /**
             * Format: date-time
             * @description Creation time.
             * @example 2026-11-23T09:30:00.000Z
             */
            createdAt: string;
            /** @description Time of the last change of its text. Null if never edited. */
            editedAt: string | null;
            /** @description The author. Null if the account was deleted. */
            author: components["schemas"]["Member"] | null;
        };
        /** @description The result of an undo. */
        Undone: {
            /** @description Number of changed entities. */
            applied: number;
            conflicts: components["schemas"]["UndoConflict"][];
            /** @description Id of the new operation. Null if nothing was changed. */
            operationId: string | null;
        };
        /** @description A part of the operation that the undo did not revert. */
        UndoConflict: {
            /** @enum {string} */
            type: "workspace" | "project" | "section" | "tag" | "task" | "comment";
            /** @description Id of the entity. Null if the caller cannot see it. */
            id: string | null;
            /** @description Name of the field. Null for the whole entity. */
            field: string | null;
            /** @description The reason as a text for people, with the time of the later change. */
            reason: string;
        };
        /** @description A page of the trash. */
        Trash: {
            /** @description Newest first. */
            trash: components["schemas"]["TrashEntry"][];
            /** @description Opaque cursor to continue from. Null if the page is empty. */
            cursor: string | null;
            /** @description Whether there are more entries after `cursor`. */
            hasMore: boolean;
        };
        /** @description A deleted entity that can be restored. */
        TrashEntry: {
            /** @description Id of the deleted entity. */
            id: string;
            /** @enum {string} */
            type: "workspace" | "project" | "section" | "tag" | "task" | "comment";
            /** @description Title of a task, or name of another entity. */
            title: string;
            /**
             * Format: date-time
             * @example 2026-11-23T09:30:00.000Z
             */
            deletedAt: string;
            /** @description Number of entities in the deletion, including this one. */
            entities: number;
        };
        /** @description A page of a task's history. */
        TaskHistory: {
            /** @description Newest first. */
            history: components["schemas"]["TaskHistoryEntry"][];
            /** @description Opaque cursor to continue from. Null if the page is empty. */
            cursor: string | null;
            /** @description Whether there are more entries after `cursor`. */
            hasMore: boolean;
        };
        /** @description A change of a task by an operation. */
        TaskHistoryEntry: {
            /**
             * @description Id of the operation that made the change.
             * @example op_01kax2w3zsfq1bq9rm3p2y6x4d
             */
            operationId: string;
            /**
             * Format: date-time
             * @example 2026-11-23T09:30:00.000Z
             */
            at: string;
            /** @description The user who made the change. Null if unknown. */
            actor: components["schemas"]["Member"] | null;
            /** @enum {string} */
            kind: "created" | "updated" | "deleted";
            fields: components["schemas"]["FieldChange"][];
        };
        /** @description How an operation changed a field. */
        FieldChange: {
            /** @description Name of the field, as in `changedFields`. */
            name: string;
            /** @description Previous value. For a reference, the id. */
            before: unknown;
            /** @description New value. */
            after: unknown;
        };
        /** @description A page of the change log. */
        TaskChanges: {
            /** @description In order of time. */
            changes: components["schemas"]["TaskChange"][];
            /** @description Opaque cursor to continue from. */
            cursor: string;
            /** @description Whether there are more entries after `cursor`. */
            hasMore: boolean;
        };
        /** @description A change of a task. */
        TaskChange: {
            /** @description Opaque cursor to continue from. */
            cursor: string;
            /** @enum {string} */
            kind: "created" | "updated" | "deleted";
            /**
             * @description Id of the task.
             * @example task_01kax2w3zsfq1bq9rm3p2y6x4d
             */
            taskId: string;
            /** @description Names of the changed fields of an update. */
            changedFields: string[];
            /**
             * @description Id of the operation that made the change.
             * @example op_01kax2w3zsfq1bq9rm3p2y6x4d
             */
            operationId: string;
            /**
             * Format: date-time
             * @description Time of the change.
             * @example 2026-11-23T09:30:00.000Z
             */
            at: string;
            /** @description The current task. Null if it no longer exists or is not visible. */
            task: components["schemas"]["TaskWithTags"] | null;
        };
        /** @description A task with its tags. */
        TaskWithTags: {
            /**
             * @description Id of the task.
             * @example task_01kax2w3zsfq1bq9rm3p2y6x4d
             */
            id: string;
            /** @description 1 to 500 characters. */
            title: string;
            /** @description Plain text, up to 16,384 characters. */
            description: string | null;
            /** @description Priority. Null if none is set. */
            priority: ("high" | "medium" | "low") | null;
            /** @description Due date. */
            dueDate: string | null;
            /** @description Due time. Null unless `isAllDay` is false. */
            dueTime: string | null;
            /** @description Whether the task takes the whole due date. */
            isAllDay: boolean | null;
            /** @description Whether the task is done. Its subtasks have their own state. */
            completed: boolean;
            /** @description Completion time. Null if the task is open. */
            completedAt: string | null;
            /** @description Hex colour: #RGB, #RRGGBB or #RRGGBBAA. */
            color: string | null;
            /**
             * @description Position of the task in its project, compared bytewise.
             * @example a0
             */
            sortKey: string;
            /** @description Whether the task has a reminder. */
            reminder: boolean;
            parentId: string | null;
            projectId: string | null;
            projectSectionId: string | null;
            /** @description The caller's tags on the task. */
            tags: components["schemas"]["Tag"][];
        };
        /** @description Changes for a replica. Each state replaces the whole entity. */
        SyncBatch: {
            /** @description Opaque cursor to continue from. */
            cursor: string;
            /** @description Whether to discard the replica first. */
            full: boolean;
            /** @description Whether more data is available after `cursor`. */
            hasMore: boolean;
            /** @description Set if the account has changed, and in the first load. */
            user: components["schemas"]["User"] | null;
            workspaces: {
                /**
                 * @description Id of the workspace.
                 * @example wksp_01kax2w3zsfq1bq9rm3p2y6x4d
                 */
                id: string;
                name: string;
                members: {
                    /**
                     * @description Id of the user.
                     * @example user_01kax2w3zsfq1bq9rm3p2y6x4d
                     */
                    id: string;
                    /** @description Display name. Null until it is set. */
                    name: string | null;
                    /**
                     * @description The address that signs in, in lower case.
                     * @example anna@example.com
                     */
                    email: string | null;
                    /** @description Absolute URL of the avatar, readable without a session. Null if none was uploaded. */
                    image: string | null;
                    /**
                     * @description Role of the member.
                     * @enum {string}
                     */
                    role: "viewer" | "commenter" | "editor" | "admin";
                }[];
            }[];
            projects: components["schemas"]["ProjectOfWorkspace"][];
            sections: components["schemas"]["Section"][];
            tags: components["schemas"]["Tag"][];
            tasks: components["schemas"]["TaskWithAssignees"][];
            comments: components["schemas"]["Comment"][];
            /** @description Entities that were deleted or are no longer visible. */
            deleted: {
                /** @enum {string} */
                type: "user" | "workspace" | "project" | "section" | "tag" | "task" | "comment";
                id: string;
            }[];
            /** @description The caller's idempotency keys whose effects are included up to this batch. */
            mutations: string[];
        };
        /** @description A project with its workspace. */
        ProjectOfWorkspace: {
            /**
             * @description Id of the project.
             * @example proj_01kax2w3zsfq1bq9rm3p2y6x4d
             */
            id: string;
            name: string;
            /** @description True if only its owner sees it. False for a project of a workspace. */
            personal: boolean;
            /** @description URL-safe form of the name. */
            slug: string | null;
            /** @description True only for the inbox. */
            isDefault: boolean;
            /** @description How tasks are shown. Null if no view mode was chosen. */
            taskDisplayPreferences: {
                /** @enum {string} */
                viewMode: "list" | "board" | "calendar";
            } | null;
            workspaceId: string | null;
        };
        /** @description An open invitation to a workspace. */
        Invitation: {
            /**
             * @description Id of the invitation.
             * @example invt_01kax2w3zsfq1bq9rm3p2y6x4d
             */
            id: string;
            /**
             * @description Id of the workspace.
             * @example wksp_01kax2w3zsfq1bq9rm3p2y6x4d
             */
            workspaceId: string;
            /** @description Display name of the workspace. */
            workspaceName: string;
            /** @description Invited address, in lower case. */
            email: string;
            /**
             * @description Role of the new member.
             * @enum {string}
             */
            role: "viewer" | "commenter" | "editor" | "admin";
            /**
             * Format: date-time
             * @description Time of the invitation.
             * @example 2026-11-23T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description Expiry time.
             * @example 2026-11-23T09:30:00.000Z
             */
            expiresAt: string;
            /** @description The member who sent it. */
            invitedBy: components["schemas"]["Member"];
        };
        /** @description A planned or past mail to the caller. */
        Delivery: {
            /**
             * @description Id of the delivery.
             * @example dlvr_01kax2w3zsfq1bq9rm3p2y6x4d
             */
            id: string;
            /**
             * Format: date-time
             * @description Planned time.
             * @example 2026-11-23T09:30:00.000Z
             */
            at: string;
            /**
             * @description Status of a mail.
             * @enum {string}
             */
            status: "PLANNED" | "SENT" | "SKIPPED" | "FAILED";
            /** @description Why the mail was skipped or has failed, as a sentence. Null for other statuses. */
            reason: string | null;
            /** @description Time when the mail server accepted the mail. Null if it has not. */
            sentAt: string | null;
        };
        /** @description The daily digest as it would be sent now. */
        Digest: {
            /** @description Time of the next digest. Null if digests are off. */
            at: string | null;
            /** @description Subject of the mail. */
            subject: string;
            /** @description The mail as plain text. */
            text: string;
            /** @description The mail as HTML. */
            html: string;
            /** @description Tasks whose due time or day has passed. */
            overdue: components["schemas"]["FoundTask"][];
            /** @description Tasks that are due today, in the caller's time zone. */
            today: components["schemas"]["FoundTask"][];
            /** @description Tasks that are due in the seven days after today. */
            upcoming: components["schemas"]["FoundTask"][];
        };
        /** @description A page of the caller's notifications. */
        Notifications: {
            notifications: components["schemas"]["Notification"][];
            /** @description Number of tasks with unread events. */
            unread: number;
            /** @description Opaque cursor to continue from. Null if the page is empty. */
            cursor: string | null;
            /** @description Whether there are more entries after `cursor`. */
            hasMore: boolean;
        };
        /** @description A task with events for the caller. */
        Notification: {
            task: components["schemas"]["FoundTask"];
            /** @description Why a user is notified. The display order is MENTIONED, ASSIGNED, COMMENTED. */
            reasons: ("mentioned" | "assigned" | "commented")[];
            /** @description Number of unread events. */
            unread: number;
            /**
             * Format: date-time
             * @description Time of the newest event.
             * @example 2026-11-23T09:30:00.000Z
             */
            at: string;
            /** @description Who caused the newest event. */
            actor: components["schemas"]["Member"] | null;
            /** @description The comment of the newest event. */
            comment: components["schemas"]["Comment"] | null;
        };
        /** @description How a task repeats. */
        Recurrence: {
            /**
             * @description RRULE value (RFC 5545, 3.3.10) of up to 500 characters, which repeats by days. Responses have its canonical form.
             * @example FREQ=WEEKLY;BYDAY=MO,TH
             */
            rule: string;
            /**
             * @description What the next date of a series follows from.
             * @enum {string}
             */
            basis: "schedule" | "completion" | "each";
            /**
             * @description IANA name of the time zone. All days and times of the series are local to it, for every viewer.
             * @example Europe/Berlin
             */
            timeZone: string;
            /**
             * Format: date
             * @description Day from which the rule counts (DTSTART).
             * @example 2026-12-24
             */
            start: string;
            /**
             * Format: date
             * @description The occurrence's date in the series (RECURRENCE-ID), even if its due date was moved.
             * @example 2026-12-24
             */
            date: string;
            /**
             * @description Local time of the series: HH:MM, or HH:MM:SS if it has seconds. Null: all day.
             * @example 09:00
             */
            time: string | null;
            /** @description Position of `date` among the dates of the series, from 1. */
            number: number;
            seriesId: string | null;
            /** @description The recurrence in words, such as `Every week on Monday and Thursday`. */
            summary: string;
            /** @description The dates in the 50 years after `date`, past ones too. */
            upcoming: {
                /** @description Position among the dates of the series, from 1. */
                number: number;
                /**
                 * Format: date
                 * @description The date.
                 * @example 2026-12-24
                 */
                date: string;
                /** @description The due time. Null: all day. */
                dueTime: string | null;
            }[];
        };
        /** @description Says who works on a task, until the claim ends. */
        Claim: {
            /** @description A number, larger for each later claim. Writes name it to depend on the claim. */
            fence: string;
            /**
             * @description Id of the task.
             * @example task_01kax2w3zsfq1bq9rm3p2y6x4d
             */
            taskId: string;
            /** @description Device of the session, or name of the access token, that claimed the task. */
            client: string | null;
            /**
             * Format: date-time
             * @description Time of the claim.
             * @example 2026-11-23T09:30:00.000Z
             */
            since: string;
            /** @description Who claimed the task. */
            holder: components["schemas"]["Member"];
        };
        /** @description A claim of the caller. */
        OwnClaim: {
            /** @description A number, larger for each later claim. Writes name it to depend on the claim. */
            fence: string;
            /**
             * @description Id of the task.
             * @example task_01kax2w3zsfq1bq9rm3p2y6x4d
             */
            taskId: string;
            /**
             * Format: date-time
             * @description Time when the claim ends.
             * @example 2026-11-23T09:30:00.000Z
             */
            expiresAt: string;
        };
        /** @description Sends changes of tasks to an endpoint. */
        Webhook: {
            /**
             * @description Id of the webhook.
             * @example hook_01kax2w3zsfq1bq9rm3p2y6x4d
             */
            id: string;
            /** @description Address of the endpoint. */
            url: string;
            /**
             * @description State of the webhook.
             * @enum {string}
             */
            state: "active" | "failing" | "paused" | "disabled";
            /**
             * Format: date-time
             * @description Creation time.
             * @example 2026-11-23T09:30:00.000Z
             */
            createdAt: string;
            /** @description Maximum number of changes in a message. */
            maxChanges: number;
            /** @description Name of the access token that owns it. Null if a session made it. */
            client: string | null;
            /** @description Why it is failing or disabled, as a sentence. */
            reason: string | null;
            /** @description Time of the first failed attempt since the last success. */
            failingSince: string | null;
            /** @description Time when the endpoint last took a message. Null if it has taken none. */
            deliveredAt: string | null;
            /** @description Kinds of changes that are sent. */
            kinds: ("created" | "updated" | "deleted")[];
            /** @description An update is sent only if it changed one of these. Null: any. */
            fields: string[] | null;
            /** @description Spaces whose changes are sent. Null: all. */
            spaceIds: string[] | null;
        };
        /** @description An attempt to send a message of a webhook. */
        WebhookAttempt: {
            /** @description Its `webhook-id`. A repeated message has the same. */
            messageId: string;
            /** @description Type of the message: `tasks.changed` or `ping`. */
            type: string;
            /**
             * Format: date-time
             * @description Time of the attempt.
             * @example 2026-11-23T09:30:00.000Z
             */
            at: string;
            /** @description Duration in milliseconds. */
            ms: number;
            /** @description Number of changes in the message. */
            changes: number;
            /** @description HTTP status. Null if the endpoint did not answer. */
            status: number | null;
            /** @description Why the attempt failed, as a sentence. Null for a success. */
            error: string | null;
        };
        /** @description All the caller's data. */
        Export: {
            user: components["schemas"]["User"];
            preferences: components["schemas"]["AllPreferences"];
            sessions: components["schemas"]["Session"][];
            accessTokens: {
                id: string;
                name: string;
                scopes: ("READ" | "WRITE")[];
                /** @description The only spaces that the token may access. Null if it may access all. */
                spaceIds: string[] | null;
                /**
                 * Format: date-time
                 * @example 2026-11-23T09:30:00.000Z
                 */
                createdAt: string;
                expiresAt: string | null;
                lastUsedAt: string | null;
            }[];
            applications: {
                id: string;
                /** @description Not verified. */
                name: string;
                redirectHost: string;
                scopes: ("READ" | "WRITE")[];
                /** @description As for an access token. */
                spaceIds: string[] | null;
                /**
                 * Format: date-time
                 * @example 2026-11-23T09:30:00.000Z
                 */
                createdAt: string;
                lastUsedAt: string | null;
            }[];
            webhooks: components["schemas"]["Webhook"][];
            passkeys: {
                /**
                 * @description Id of the passkey.
                 * @example pkey_01kax2w3zsfq1bq9rm3p2y6x4d
                 */
                id: string;
                /** @description Name that the user chose. */
                name: string;
                /**
                 * Format: date-time
                 * @description Time of the registration.
                 * @example 2026-11-23T09:30:00.000Z
                 */
                createdAt: string;
                /** @description Time of the last sign-in. Null if it has never been used. */
                lastUsedAt: string | null;
            }[];
            /** @description External providers. */
            providers: {
                name: string;
                /**
                 * Format: date-time
                 * @example 2026-11-23T09:30:00.000Z
                 */
                linkedAt: string;
            }[];
            invitations: {
                /**
                 * @description Id of the invitation.
                 * @example invt_01kax2w3zsfq1bq9rm3p2y6x4d
                 */
                id: string;
                /**
                 * @description Id of the workspace.
                 * @example wksp_01kax2w3zsfq1bq9rm3p2y6x4d
                 */
                workspaceId: string;
                /** @description Display name of the workspace. */
                workspaceName: string;
                /** @description Invited address, in lower case. */
                email: string;
                /**
                 * @description Role of the new member.
                 * @enum {string}
                 */
                role: "viewer" | "commenter" | "editor" | "admin";
                /**
                 * Format: date-time
                 * @description Time of the invitation.
                 * @example 2026-11-23T09:30:00.000Z
                 */
                createdAt: string;
                /**
                 * Format: date-time
                 * @description Expiry time.
                 * @example 2026-11-23T09:30:00.000Z
                 */
                expiresAt: string;
            }[];
            workspaces: {
                /**
                 * @description Id of the workspace.
                 * @example wksp_01kax2w3zsfq1bq9rm3p2y6x4d
                 */
                id: string;
                name: string;
                /**
                 * @description The caller's own role.
                 * @enum {string}
                 */
                role: "viewer" | "commenter" | "editor" | "admin";
                /**
                 * Format: date-time
                 * @example 2026-11-23T09:30:00.000Z
                 */
                createdAt: string;
            }[];
            projects: {
                /**
                 * @description Id of the project.
                 * @example proj_01kax2w3zsfq1bq9rm3p2y6x4d
                 */
                id: string;
                name: string;
                /** @description True if only its owner sees it. False for a project of a workspace. */
                personal: boolean;
                /** @description URL-safe form of the name. */
                slug: string | null;
                /** @description True only for the inbox. */
                isDefault: boolean;
                /** @description How tasks are shown. Null if no view mode was chosen. */
                taskDisplayPreferences: {
                    /** @enum {string} */
                    viewMode: "list" | "board" | "calendar";
                } | null;
                workspaceId: string | null;
                /**
                 * Format: date-time
                 * @example 2026-11-23T09:30:00.000Z
                 */
                createdAt: string;
            }[];
            sections: {
                /**
                 * @description Id of the section.
                 * @example sect_01kax2w3zsfq1bq9rm3p2y6x4d
                 */
                id: string;
                name: string;
                /**
                 * @description Position in the project. Sections are sorted by it bytewise.
                 * @example a0
                 */
                sortKey: string;
                /**
                 * @description Id of the project.
                 * @example proj_01kax2w3zsfq1bq9rm3p2y6x4d
                 */
                projectId: string;
                /**
                 * Format: date-time
                 * @example 2026-11-23T09:30:00.000Z
                 */
                createdAt: string;
            }[];
            tags: {
                /**
                 * @description Id of the tag.
                 * @example tag_01kax2w3zsfq1bq9rm3p2y6x4d
                 */
                id: string;
                /** @description Unique among the caller's tags. */
                name: string;
                /** @enum {string} */
                color: "blue" | "red" | "green" | "yellow" | "purple" | "orange" | "pink";
                /**
                 * Format: date-time
                 * @example 2026-11-23T09:30:00.000Z
                 */
                createdAt: string;
            }[];
            todos: {
                /**
                 * @description Id of the task.
                 * @example task_01kax2w3zsfq1bq9rm3p2y6x4d
                 */
                id: string;
                /** @description 1 to 500 characters. */
                title: string;
                /** @description Plain text, up to 16,384 characters. */
                description: string | null;
                /** @description Priority. Null if none is set. */
                priority: ("high" | "medium" | "low") | null;
                /** @description Due date. */
                dueDate: string | null;
                /** @description Due time. Null unless `isAllDay` is false. */
                dueTime: string | null;
                /** @description Whether the task takes the whole due date. */
                isAllDay: boolean | null;
                /** @description Whether the task is done. Its subtasks have their own state. */
                completed: boolean;
                /** @description Completion time. Null if the task is open. */
                completedAt: string | null;
                /** @description Hex colour: #RGB, #RRGGBB or #RRGGBBAA. */
                color: string | null;
                /**
                 * @description Position of the task in its project, compared bytewise.
                 * @example a0
                 */
                sortKey: string;
                /** @description Whether the task has a reminder. */
                reminder: boolean;
                parentId: string | null;
                projectId: string | null;
                projectSectionId: string | null;
                /** @description The caller's tags on the task. */
                tags: components["schemas"]["Tag"][];
                /** @description Ids of the assignees, in the order of assignment. */
                assigneeIds: string[];
                createdById: string | null;
                /**
                 * Format: date-time
                 * @example 2026-11-23T09:30:00.000Z
                 */
                createdAt: string;
                /**
                 * Format: date-time
                 * @example 2026-11-23T09:30:00.000Z
                 */
                updatedAt: string;
                recurrence: {
                    /**
                     * @description RRULE value (RFC 5545, 3.3.10) of up to 500 characters, which repeats by days. Responses have its canonical form.
                     * @example FREQ=WEEKLY;BYDAY=MO,TH
                     */
                    rule: string;
                    /**
                     * @description What the next date of a series follows from.
                     * @enum {string}
                     */
                    basis: "schedule" | "completion" | "each";
                    /**
                     * @description IANA name of the time zone. All days and times of the series are local to it, for every viewer.
                     * @example Europe/Berlin
                     */
                    timeZone: string;
                    /**
                     * Format: date
                     * @description Day from which the rule counts (DTSTART).
                     * @example 2026-12-24
                     */
                    start: string;
                    /**
                     * Format: date
                     * @description The occurrence's date in the series (RECURRENCE-ID), even if its due date was moved.
                     * @example 2026-12-24
                     */
                    date: string;
                    /**
                     * @description Local time of the series: HH:MM, or HH:MM:SS if it has seconds. Null: all day.
                     * @example 09:00
                     */
                    time: string | null;
                    /** @description Position of `date` among the dates of the series, from 1. */
                    number: number;
                    seriesId: string | null;
                    /** @description The recurrence in words, such as `Every week on Monday and Thursday`. */
                    summary: string;
                } | null;
            }[];
            comments: {
                /**
                 * @description Id of the comment.
                 * @example cmnt_01kax2w3zsfq1bq9rm3p2y6x4d
                 */
                id: string;
                /**
                 * @description Id of the task.
                 * @example task_01kax2w3zsfq1bq9rm3p2y6x4d
                 */
                taskId: string;
                /** @description Plain text, 1 to 16,384 characters. `@` and the id of a member of the space mention that member, such as `@user_01k8m3f5s8e5bb9g0q2v7x4c6d`. */
                text: string;
                /**
                 * Format: date-time
                 * @example 2026-11-23T09:30:00.000Z
                 */
                createdAt: string;
                /** @description Time of the last change of its text. Null if never edited. */
                editedAt: string | null;
                /** @description The author. Null if the account was deleted. */
                author: components["schemas"]["Member"] | null;
            }[];
        };
    };
    responses: {
        /** @description `VALIDATION_FAILED`: An argument is missing or invalid; `errors` lists the problems. */
        ValidationFailed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "VALIDATION_FAILED";
                };
            };
        };
        /** @description `RATE_LIMITED`: Too many attempts: try again after `retryAfter` seconds. */
        RateLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "RATE_LIMITED";
                };
            };
        };
        /** @description `INTERNAL`: A fault of the service; it has been logged under the request id. */
        Internal: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "INTERNAL";
                };
            };
        };
        /** @description `UNAVAILABLE`: The database is unavailable, or the service is overloaded: try again after `retryAfter` seconds. */
        Unavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "UNAVAILABLE";
                };
            };
        };
        /** @description `SECOND_FACTOR_REQUIRED`: The password is right, but `totp` is missing: send both. */
        SecondFactorRequired: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "SECOND_FACTOR_REQUIRED";
                };
            };
        };
        /** @description `UNAUTHENTICATED`: There is no session, or it has ended. */
        Unauthenticated: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "UNAUTHENTICATED";
                };
            };
        };
        /** @description `FORBIDDEN`: The caller sees the resource but may not do this. */
        Forbidden: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "FORBIDDEN";
                };
            };
        };
        /** @description `CLAIM_LOST`: The claim has ended, or is not the caller's: nothing was written. Claim a task again. */
        ClaimLost: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "CLAIM_LOST";
                };
            };
        };
        /**
         * @description `IDEMPOTENCY_KEY_IN_USE`: A mutation with the same idempotency key is still under way: try again after `retryAfter` seconds.
         *
         *     `CLAIM_LOST`: The claim has ended, or is not the caller's: nothing was written. Claim a task again.
         */
        IdempotencyKeyInUseOrClaimLost: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "IDEMPOTENCY_KEY_IN_USE" | "CLAIM_LOST";
                };
            };
        };
        /** @description `IDEMPOTENCY_KEY_REUSED`: The idempotency key was used for another request. */
        IdempotencyKeyReused: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "IDEMPOTENCY_KEY_REUSED";
                };
            };
        };
        /**
         * @description `FORBIDDEN`: The caller sees the resource but may not do this.
         *
         *     `REAUTHENTICATION_REQUIRED`: The session was authenticated more than ten minutes ago: sign in again, then repeat the request.
         */
        ForbiddenOrReauthenticationRequired: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "FORBIDDEN" | "REAUTHENTICATION_REQUIRED";
                };
            };
        };
        /** @description `NOT_FOUND`: It does not exist, or the caller may not see it. */
        NotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "NOT_FOUND";
                };
            };
        };
        /**
         * @description `VALIDATION_FAILED`: An argument is missing or invalid; `errors` lists the problems.
         *
         *     `CURSOR_EXPIRED`: The cursor is unknown or older than the change log: fetch everything again.
         */
        ValidationFailedOrCursorExpired: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "VALIDATION_FAILED" | "CURSOR_EXPIRED";
                };
            };
        };
        /**
         * @description `IDEMPOTENCY_KEY_IN_USE`: A mutation with the same idempotency key is still under way: try again after `retryAfter` seconds.
         *
         *     `TASK_CLAIMED`: The task is claimed, by the caller or by somebody else.
         *
         *     `CLAIM_LOST`: The claim has ended, or is not the caller's: nothing was written. Claim a task again.
         */
        IdempotencyKeyInUseOrTaskClaimedOrClaimLost: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "IDEMPOTENCY_KEY_IN_USE" | "TASK_CLAIMED" | "CLAIM_LOST";
                };
            };
        };
    };
    parameters: {
        /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
        AccountId: string;
        /** @description Like `X-Account-Id`, for links and event sources, which cannot send headers. */
        Account: string;
        /** @description Makes retries safe: the first response is replayed for 24 hours, with `Idempotency-Replayed: true`. */
        IdempotencyKey: string;
        /** @description Fence of a claim of the caller. The write is done only if the claim is in force. Otherwise: `CLAIM_LOST`. */
        ClaimFence: string;
        /** @description The `ETag` of a response that the client has. The response is 304 if it has not changed. */
        IfNoneMatch: string;
        /** @description Id of the last event that the client has received. The stream continues from there. It takes precedence over `after`. */
        LastEventId: string;
    };
    requestBodies: never;
    headers: {
        /**
         * @description Id of the request in the service's log.
         * @example 7d6f2a0e-3c55-4a7c-9a64-0b8a3f0e1c57
         */
        "X-Request-Id": string;
        /**
         * @description Identifies this version of the response. Send it as `If-None-Match` to receive 304 if nothing has changed.
         * @example W/"1f-2b"
         */
        ETag: string;
        /**
         * @description The limit that is closest to being reached: its name, remaining requests, and seconds until it resets (draft-ietf-httpapi-ratelimit-headers).
         * @example "account";r=599;t=1
         */
        RateLimit: string;
        /**
         * @description The same limit: its name, quota of requests, and window in seconds.
         * @example "account";q=600;w=60
         */
        "RateLimit-Policy": string;
        /**
         * @description Seconds to wait before a retry (RFC 9110, 10.2.3).
         * @example 1
         */
        "Retry-After": number;
        /**
         * @description Id of the write in the history. Absent if it changed nothing.
         * @example op_01jd9h3v8xf5ka2q4c7m0e6w9r
         */
        "X-Operation-Id": string;
        /**
         * @description `true` if this is the response to an earlier request with the same key.
         * @example true
         */
        "Idempotency-Replayed": string;
        /**
         * @description URL that the browser continues to.
         * @example /today
         */
        Location: string;
        /**
         * @description The HTTP-only session cookie. Browsers send it with each request.
         * @example sid=s%3AY0x2.mVt4; Path=/; HttpOnly; SameSite=Lax
         */
        "Set-Cookie": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    requestSignUpCode: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * Format: email
                     * @example anna@example.com
                     */
                    email: string;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        msg: "OTP sent successfully";
                    };
                };
            };
            400: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    signUp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * Format: email
                     * @example anna@example.com
                     */
                    email: string;
                    /** @example 123456 */
                    code: string;
                    /** Format: password */
                    password: string;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Set-Cookie": components["headers"]["Set-Cookie"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        msg: "Account created successfully";
                    };
                };
            };
            400: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    signIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    email: string;
                    password: string;
                    /** @description A code of the authenticator app or a recovery code. Required if TOTP is on. */
                    totp?: string | null;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Set-Cookie": components["headers"]["Set-Cookie"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        msg: "Signed in successfully";
                    };
                };
            };
            400: components["responses"]["ValidationFailed"];
            403: components["responses"]["SecondFactorRequired"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    checkSession: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of a response that the client has. The response is 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuthCheck"];
                };
            };
            /** @description The client has this response already. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    signOut: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Operation-Id": components["headers"]["X-Operation-Id"];
                    "Set-Cookie": components["headers"]["Set-Cookie"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        msg: "Signed out successfully";
                    };
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["ClaimLost"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    requestPasswordReset: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * Format: email
                     * @example anna@example.com
                     */
                    email: string;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        msg: "OTP sent successfully";
                    };
                };
            };
            400: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    resetPassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * Format: email
                     * @example anna@example.com
                     */
                    email: string;
                    /** @example 123456 */
                    code: string;
                    /** Format: password */
                    password: string;
                    /** @description Whether to remove passkeys and linked providers as well. False if absent. */
                    endOtherWaysIn?: boolean | null;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        msg: "Password updated sucessfully";
                    };
                };
            };
            400: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getProfile: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description The `ETag` of a response that the client has. The response is 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        user: components["schemas"]["User"];
                    };
                };
            };
            /** @description The client has this response already. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateProfile: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description Makes retries safe: the first response is replayed for 24 hours, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Fence of a claim of the caller. The write is done only if the claim is in force. Otherwise: `CLAIM_LOST`. */
                "X-Claim-Fence"?: components["parameters"]["ClaimFence"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    name: string;
                    /** @description JPEG or PNG, up to 5242880 bytes. */
                    image?: string;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Operation-Id": components["headers"]["X-Operation-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        msg: "user profile updated successfully";
                    };
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["IdempotencyKeyInUseOrClaimLost"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateName: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description Makes retries safe: the first response is replayed for 24 hours, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Fence of a claim of the caller. The write is done only if the claim is in force. Otherwise: `CLAIM_LOST`. */
                "X-Claim-Fence"?: components["parameters"]["ClaimFence"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Operation-Id": components["headers"]["X-Operation-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @example Name updated sucessfully to Anna */
                        msg: string;
                    };
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["IdempotencyKeyInUseOrClaimLost"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    changePassword: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    currentPassword?: string | null;
                    /** Format: password */
                    newPassword: string;
                    confirmNewPassword: string;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Operation-Id": components["headers"]["X-Operation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        msg: "Password updated sucessfully";
                    };
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["ForbiddenOrReauthenticationRequired"];
            409: components["responses"]["ClaimLost"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getPreferences: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description The `ETag` of a response that the client has. The response is 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Preferences"];
                };
            };
            /** @description The client has this response already. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    updatePreferences: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description Makes retries safe: the first response is replayed for 24 hours, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Fence of a claim of the caller. The write is done only if the claim is in force. Otherwise: `CLAIM_LOST`. */
                "X-Claim-Fence"?: components["parameters"]["ClaimFence"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Whether mails are sent. Codes and notices are always sent. */
                    emailEnabled?: boolean;
                    /** @description Minutes between the reminder of a task and its due time, 0 to 40,320. */
                    reminderBefore?: number;
                    /** @description Whether reminders are sent. */
                    taskRemainders?: boolean;
                    /** @description Whether a daily mail lists due tasks. */
                    dailyDigest?: boolean;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Operation-Id": components["headers"]["X-Operation-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        msg: "successfully updated the user preferences";
                    };
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["IdempotencyKeyInUseOrClaimLost"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    changePreferences: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description Makes retries safe: the first response is replayed for 24 hours, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Fence of a claim of the caller. The write is done only if the claim is in force. Otherwise: `CLAIM_LOST`. */
                "X-Claim-Fence"?: components["parameters"]["ClaimFence"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Whether mails are sent. Codes and notices are always sent. */
                    emailEnabled?: boolean;
                    /** @description Minutes between the reminder of a task and its due time, 0 to 40,320. */
                    reminderBefore?: number;
                    /** @description Whether reminders are sent. */
                    taskRemainders?: boolean;
                    /** @description Whether a new task with a due date has a reminder by default. */
                    automaticRemainder?: boolean;
                    /** @description Whether a daily mail lists due tasks. */
                    dailyDigest?: boolean;
                    digestTime?: string | null;
                    /** @description IANA name. */
                    timeZone?: string;
                    /**
                     * @description Which mails about unread notifications are sent.
                     * @enum {string}
                     */
                    activityMails?: "all" | "direct" | "none";
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Operation-Id": components["headers"]["X-Operation-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AllPreferences"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["IdempotencyKeyInUseOrClaimLost"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listSessions: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description The `ETag` of a response that the client has. The response is 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        sessions: components["schemas"]["Session"][];
                    };
                };
            };
            /** @description The client has this response already. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    endOtherSessions: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Operation-Id": components["headers"]["X-Operation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Number of ended sessions. */
                        endedCount: number;
                    };
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["ForbiddenOrReauthenticationRequired"];
            409: components["responses"]["ClaimLost"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    endSession: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
            };
            path: {
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Operation-Id": components["headers"]["X-Operation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        msg: "session ended successfully";
                    };
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["ForbiddenOrReauthenticationRequired"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["ClaimLost"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteAccount: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    password?: string | null;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Operation-Id": components["headers"]["X-Operation-Id"];
                    "Set-Cookie": components["headers"]["Set-Cookie"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        msg: "account deleted successfully";
                    };
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["ForbiddenOrReauthenticationRequired"];
            409: components["responses"]["ClaimLost"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    linkProvider: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
            };
            path: {
                /** @description Name of the provider. */
                provider: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Path of this origin to return to. Default: `/`. */
                    returnTo?: string | null;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Operation-Id": components["headers"]["X-Operation-Id"];
                    "Set-Cookie": components["headers"]["Set-Cookie"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        url: string;
                    };
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["ForbiddenOrReauthenticationRequired"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["ClaimLost"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listProjects: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description The `ETag` of a response that the client has. The response is 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        projects: components["schemas"]["Project"][];
                    };
                };
            };
            /** @description The client has this response already. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    createProject: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description Makes retries safe: the first response is replayed for 24 hours, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Fence of a claim of the caller. The write is done only if the claim is in force. Otherwise: `CLAIM_LOST`. */
                "X-Claim-Fence"?: components["parameters"]["ClaimFence"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    id?: string | null;
                    name: string;
                    workspaceId?: string;
                    personal?: boolean;
                };
            };
        };
        responses: {
            /** @description Success. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Operation-Id": components["headers"]["X-Operation-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        message: "Successfully created project";
                        project: components["schemas"]["Project"];
                    };
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["IdempotencyKeyInUseOrClaimLost"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getInbox: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description The `ETag` of a response that the client has. The response is 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        inbox: components["schemas"]["ProjectWithTodos"];
                    };
                };
            };
            /** @description The client has this response already. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listPersonalProjects: {
        parameters: {
            query: {
                /** @description Part of the name. Empty for all. */
                search: string;
            };
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description The `ETag` of a response that the client has. The response is 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        personalProjects: components["schemas"]["ProjectWithTodos"][];
                    };
                };
            };
            /** @description The client has this response already. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getProject: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description The `ETag` of a response that the client has. The response is 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the project. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        project: components["schemas"]["ProjectWithTodos"];
                    };
                };
            };
            /** @description The client has this response already. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateProject: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description Makes retries safe: the first response is replayed for 24 hours, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Fence of a claim of the caller. The write is done only if the claim is in force. Otherwise: `CLAIM_LOST`. */
                "X-Claim-Fence"?: components["parameters"]["ClaimFence"];
            };
            path: {
                /** @description Id of the project. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name?: string;
                    taskDisplayPreferences?: {
                        /** @enum {string} */
                        viewMode: "list" | "board" | "calendar";
                    };
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Operation-Id": components["headers"]["X-Operation-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        message: "project updated successfully";
                        project: components["schemas"]["Project"];
                    };
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyKeyInUseOrClaimLost"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteProject: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description Makes retries safe: the first response is replayed for 24 hours, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Fence of a claim of the caller. The write is done only if the claim is in force. Otherwise: `CLAIM_LOST`. */
                "X-Claim-Fence"?: components["parameters"]["ClaimFence"];
            };
            path: {
                /** @description Id of the project. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Operation-Id": components["headers"]["X-Operation-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        msg: "project deleted successfully";
                    };
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyKeyInUseOrClaimLost"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listSections: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description The `ETag` of a response that the client has. The response is 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the project. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        sections: components["schemas"]["SectionWithTodos"][];
                    };
                };
            };
            /** @description The client has this response already. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    createSection: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description Makes retries safe: the first response is replayed for 24 hours, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Fence of a claim of the caller. The write is done only if the claim is in force. Otherwise: `CLAIM_LOST`. */
                "X-Claim-Fence"?: components["parameters"]["ClaimFence"];
            };
            path: {
                /** @description Id of the project. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    id?: string | null;
                    name: string;
                };
            };
        };
        responses: {
            /** @description Success. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Operation-Id": components["headers"]["X-Operation-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        msg: "project section created";
                        section: components["schemas"]["Section"];
                    };
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyKeyInUseOrClaimLost"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteSection: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description Makes retries safe: the first response is replayed for 24 hours, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Fence of a claim of the caller. The write is done only if the claim is in force. Otherwise: `CLAIM_LOST`. */
                "X-Claim-Fence"?: components["parameters"]["ClaimFence"];
            };
            path: {
                /** @description Id of the project. */
                id: string;
                /** @description Id of the section. */
                sectionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Operation-Id": components["headers"]["X-Operation-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        msg: "section deleted sucessfully";
                    };
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyKeyInUseOrClaimLost"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateSection: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description Makes retries safe: the first response is replayed for 24 hours, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Fence of a claim of the caller. The write is done only if the claim is in force. Otherwise: `CLAIM_LOST`. */
                "X-Claim-Fence"?: components["parameters"]["ClaimFence"];
            };
            path: {
                /** @description Id of the project. */
                id: string;
                /** @description Id of the section. */
                sectionId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name?: string;
                    prevIndex?: string | null;
                    nextIndex?: string | null;
                    projectId?: string;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Operation-Id": components["headers"]["X-Operation-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        msg: "project section updated sucessfully";
                        updatedSection: components["schemas"]["Section"];
                    };
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyKeyInUseOrClaimLost"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listTasks: {
        parameters: {
            query?: {
                /** @description Separated by commas, or repeated as separate parameters, with or without `[]`. */
                tagIds?: string[];
                /** @description Only completed tasks, or only open ones. */
                completed?: boolean;
            };
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description The `ETag` of a response that the client has. The response is 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        todos: components["schemas"]["ListedTask"][];
                    };
                };
            };
            /** @description The client has this response already. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    createTask: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description Makes retries safe: the first response is replayed for 24 hours, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Fence of a claim of the caller. The write is done only if the claim is in force. Otherwise: `CLAIM_LOST`. */
                "X-Claim-Fence"?: components["parameters"]["ClaimFence"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    id?: string | null;
                    /** @description 1 to 500 characters. */
                    title: string;
                    description?: string | null;
                    priority?: ("high" | "medium" | "low") | null;
                    dueDate?: string | null;
                    dueTime?: string | null;
                    isAllDay?: boolean | null;
                    color?: string | null;
                    reminder?: boolean | null;
                    projectId?: string | null;
                    projectSectionId?: string | null;
                    tags?: string[] | null;
                    parentId?: string | null;
                };
            };
        };
        responses: {
            /** @description Success. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Operation-Id": components["headers"]["X-Operation-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        msg: "todo added sucessfully";
                        todo: components["schemas"]["Task"];
                    };
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["IdempotencyKeyInUseOrClaimLost"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    searchTasks: {
        parameters: {
            query: {
                /** @description Words to look for. */
                q: string;
            };
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description The `ETag` of a response that the client has. The response is 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        todos: components["schemas"]["FoundTask"][];
                        tags: components["schemas"]["Tag"][];
                    };
                };
            };
            /** @description The client has this response already. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listAssignedTasks: {
        parameters: {
            query?: {
                /** @description Id of the user. By default the caller. */
                userId?: string;
                /** @description Only completed tasks, or only open ones. */
                completed?: boolean;
            };
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description The `ETag` of a response that the client has. The response is 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        todos: components["schemas"]["TaskWithAssignees"][];
                    };
                };
            };
            /** @description The client has this response already. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteTasks: {
        parameters: {
            query: {
                /** @description Separated by commas, or repeated as separate parameters, with or without `[]`. */
                todoIds: string[];
            };
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description Makes retries safe: the first response is replayed for 24 hours, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Fence of a claim of the caller. The write is done only if the claim is in force. Otherwise: `CLAIM_LOST`. */
                "X-Claim-Fence"?: components["parameters"]["ClaimFence"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Operation-Id": components["headers"]["X-Operation-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Number of deleted tasks. */
                        deletedCount: number;
                    };
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["IdempotencyKeyInUseOrClaimLost"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateTasks: {
        parameters: {
            query: {
                /** @description Separated by commas, or repeated as separate parameters, with or without `[]`. */
                todoIds: string[];
            };
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description Makes retries safe: the first response is replayed for 24 hours, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Fence of a claim of the caller. The write is done only if the claim is in force. Otherwise: `CLAIM_LOST`. */
                "X-Claim-Fence"?: components["parameters"]["ClaimFence"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    priority?: ("high" | "medium" | "low") | null;
                    dueDate?: string | null;
                    dueTime?: string | null;
                    isAllDay?: boolean | null;
                    /** @description Whether the task is done. Its subtasks have their own state. */
                    completed?: boolean;
                    /** @description Whether the task has a reminder. */
                    reminder?: boolean;
                    projectId?: string | null;
                    projectSectionId?: string | null;
                    /** @description Ids of the caller's tags for the task. */
                    tags?: string[];
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Operation-Id": components["headers"]["X-Operation-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Number of changed tasks. */
                        todos: number;
                    };
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["IdempotencyKeyInUseOrClaimLost"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getTask: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description The `ETag` of a response that the client has. The response is 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the task. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        todo: components["schemas"]["ListedTask"];
                    };
                };
            };
            /** @description The client has this response already. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteTask: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description Makes retries safe: the first response is replayed for 24 hours, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Fence of a claim of the caller. The write is done only if the claim is in force. Otherwise: `CLAIM_LOST`. */
                "X-Claim-Fence"?: components["parameters"]["ClaimFence"];
            };
            path: {
                /** @description Id of the task. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Operation-Id": components["headers"]["X-Operation-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        msg: "Todo deleted successfully";
                    };
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyKeyInUseOrClaimLost"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateTask: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description Makes retries safe: the first response is replayed for 24 hours, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Fence of a claim of the caller. The write is done only if the claim is in force. Otherwise: `CLAIM_LOST`. */
                "X-Claim-Fence"?: components["parameters"]["ClaimFence"];
            };
            path: {
                /** @description Id of the task. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description 1 to 500 characters. */
                    title?: string;
                    description?: string | null;
                    priority?: ("high" | "medium" | "low") | null;
                    dueDate?: string | null;
                    dueTime?: string | null;
                    isAllDay?: boolean | null;
                    /** @description Whether the task is done. Its subtasks have their own state. */
                    completed?: boolean;
                    color?: string | null;
                    /** @description Whether the task has a reminder. */
                    reminder?: boolean;
                    /** @description Position of the task in its project, compared bytewise. */
                    sortKey?: string;
                    projectId?: string | null;
                    projectSectionId?: string | null;
                    /** @description Ids of the caller's tags for the task. */
                    tags?: string[];
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Operation-Id": components["headers"]["X-Operation-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        todo: components["schemas"]["Task"];
                    };
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyKeyInUseOrClaimLost"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    moveTask: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description Makes retries safe: the first response is replayed for 24 hours, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Fence of a claim of the caller. The write is done only if the claim is in force. Otherwise: `CLAIM_LOST`. */
                "X-Claim-Fence"?: components["parameters"]["ClaimFence"];
            };
            path: {
                /** @description Id of the task. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Id of the sibling to place it right after. */
                    after?: string | null;
                    /** @description Id of the sibling to place it right before. */
                    before?: string | null;
                    /** @description Id of the new parent task. Null for the top level. */
                    parentId?: string | null;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Operation-Id": components["headers"]["X-Operation-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        todo: components["schemas"]["Task"];
                    };
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyKeyInUseOrClaimLost"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listTags: {
        parameters: {
            query?: {
                /** @description Part of the name. */
                search?: string;
                /** @description Separated by commas, or repeated as separate parameters, with or without `[]`. */
                ids?: string[];
            };
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description The `ETag` of a response that the client has. The response is 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        tags: components["schemas"]["CountedTag"][];
                    };
                };
            };
            /** @description The client has this response already. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    createTag: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description Makes retries safe: the first response is replayed for 24 hours, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Fence of a claim of the caller. The write is done only if the claim is in force. Otherwise: `CLAIM_LOST`. */
                "X-Claim-Fence"?: components["parameters"]["ClaimFence"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    id?: string | null;
                    /** @description Unique among the caller's tags. */
                    name: string;
                    /** @enum {string} */
                    color?: "blue" | "red" | "green" | "yellow" | "purple" | "orange" | "pink";
                };
            };
        };
        responses: {
            /** @description Success. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Operation-Id": components["headers"]["X-Operation-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        msg: "todo added sucessfully";
                        tag: components["schemas"]["Tag"];
                    };
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["IdempotencyKeyInUseOrClaimLost"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    countTags: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description The `ETag` of a response that the client has. The response is 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Number of tags of the caller. */
                        count: number;
                    };
                };
            };
            /** @description The client has this response already. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteTags: {
        parameters: {
            query: {
                /** @description Separated by commas, or repeated as separate parameters, with or without `[]`. */
                tagIds: string[];
            };
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description Makes retries safe: the first response is replayed for 24 hours, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Fence of a claim of the caller. The write is done only if the claim is in force. Otherwise: `CLAIM_LOST`. */
                "X-Claim-Fence"?: components["parameters"]["ClaimFence"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Operation-Id": components["headers"]["X-Operation-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Number of deleted tags. */
                        deletedCount: number;
                    };
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["IdempotencyKeyInUseOrClaimLost"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateTag: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description Makes retries safe: the first response is replayed for 24 hours, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Fence of a claim of the caller. The write is done only if the claim is in force. Otherwise: `CLAIM_LOST`. */
                "X-Claim-Fence"?: components["parameters"]["ClaimFence"];
            };
            path: {
                /** @description Id of the tag. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Unique among the caller's tags. */
                    name?: string;
                    /** @enum {string} */
                    color?: "blue" | "red" | "green" | "yellow" | "purple" | "orange" | "pink";
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Operation-Id": components["headers"]["X-Operation-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        tag: components["schemas"]["Tag"];
                    };
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyKeyInUseOrClaimLost"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listWorkspaces: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description The `ETag` of a response that the client has. The response is 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        workspaces: components["schemas"]["Workspace"][];
                    };
                };
            };
            /** @description The client has this response already. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    createWorkspace: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description Makes retries safe: the first response is replayed for 24 hours, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Fence of a claim of the caller. The write is done only if the claim is in force. Otherwise: `CLAIM_LOST`. */
                "X-Claim-Fence"?: components["parameters"]["ClaimFence"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    id?: string | null;
                    name: string;
                };
            };
        };
        responses: {
            /** @description Success. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Operation-Id": components["headers"]["X-Operation-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        workspace: components["schemas"]["Workspace"];
                    };
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["IdempotencyKeyInUseOrClaimLost"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateWorkspace: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description Makes retries safe: the first response is replayed for 24 hours, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Fence of a claim of the caller. The write is done only if the claim is in force. Otherwise: `CLAIM_LOST`. */
                "X-Claim-Fence"?: components["parameters"]["ClaimFence"];
            };
            path: {
                /** @description Id of the workspace. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Operation-Id": components["headers"]["X-Operation-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        workspace: components["schemas"]["Workspace"];
                    };
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyKeyInUseOrClaimLost"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteWorkspace: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description Makes retries safe: the first response is replayed for 24 hours, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Fence of a claim of the caller. The write is done only if the claim is in force. Otherwise: `CLAIM_LOST`. */
                "X-Claim-Fence"?: components["parameters"]["ClaimFence"];
            };
            path: {
                /** @description Id of the workspace. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Operation-Id": components["headers"]["X-Operation-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        msg: "workspace deleted successfully";
                    };
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyKeyInUseOrClaimLost"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listMembers: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description The `ETag` of a response that the client has. The response is 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the workspace. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        members: components["schemas"]["Membership"][];
                    };
                };
            };
            /** @description The client has this response already. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    setMemberRole: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description Makes retries safe: the first response is replayed for 24 hours, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Fence of a claim of the caller. The write is done only if the claim is in force. Otherwise: `CLAIM_LOST`. */
                "X-Claim-Fence"?: components["parameters"]["ClaimFence"];
            };
            path: {
                /** @description Id of the workspace. */
                id: string;
                /** @description Id of the member. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    role: "viewer" | "commenter" | "editor" | "admin";
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Operation-Id": components["headers"]["X-Operation-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        member: components["schemas"]["Membership"];
                    };
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyKeyInUseOrClaimLost"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    removeMember: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description Makes retries safe: the first response is replayed for 24 hours, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Fence of a claim of the caller. The write is done only if the claim is in force. Otherwise: `CLAIM_LOST`. */
                "X-Claim-Fence"?: components["parameters"]["ClaimFence"];
            };
            path: {
                /** @description Id of the workspace. */
                id: string;
                /** @description Id of the member. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Operation-Id": components["headers"]["X-Operation-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        msg: "member removed successfully";
                    };
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyKeyInUseOrClaimLost"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listComments: {
        parameters: {
            query?: {
                /** @description `cursor` of the previous page. */
                after?: string;
                /** @description Maximum number of entries. */
                first?: number;
            };
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description The `ETag` of a response that the client has. The response is 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the task. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        comments: components["schemas"]["Comment"][];
                        /** @description Opaque cursor to continue from. Null if the page is empty. */
                        cursor: string | null;
                        /** @description Whether there are more entries after `cursor`. */
                        hasMore: boolean;
                    };
                };
            };
            /** @description The client has this response already. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    createComment: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description Makes retries safe: the first response is replayed for 24 hours, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Fence of a claim of the caller. The write is done only if the claim is in force. Otherwise: `CLAIM_LOST`. */
                "X-Claim-Fence"?: components["parameters"]["ClaimFence"];
            };
            path: {
                /** @description Id of the task. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    id?: string | null;
                    /** @description Plain text, 1 to 16,384 characters. `@` and the id of a member of the space mention that member, such as `@user_01k8m3f5s8e5bb9g0q2v7x4c6d`. */
                    text: string;
                };
            };
        };
        responses: {
            /** @description Success. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Operation-Id": components["headers"]["X-Operation-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        comment: components["schemas"]["Comment"];
                    };
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyKeyInUseOrClaimLost"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    searchComments: {
        parameters: {
            query: {
                /** @description Words to look for. */
                q: string;
            };
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description The `ETag` of a response that the client has. The response is 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        comments: components["schemas"]["Comment"][];
                    };
                };
            };
            /** @description The client has this response already. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteComment: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description Makes retries safe: the first response is replayed for 24 hours, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Fence of a claim of the caller. The write is done only if the claim is in force. Otherwise: `CLAIM_LOST`. */
                "X-Claim-Fence"?: components["parameters"]["ClaimFence"];
            };
            path: {
                /** @description Id of the comment. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Operation-Id": components["headers"]["X-Operation-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        msg: "comment deleted successfully";
                    };
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyKeyInUseOrClaimLost"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateComment: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description Makes retries safe: the first response is replayed for 24 hours, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Fence of a claim of the caller. The write is done only if the claim is in force. Otherwise: `CLAIM_LOST`. */
                "X-Claim-Fence"?: components["parameters"]["ClaimFence"];
            };
            path: {
                /** @description Id of the comment. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Plain text, 1 to 16,384 characters. `@` and the id of a member of the space mention that member, such as `@user_01k8m3f5s8e5bb9g0q2v7x4c6d`. */
                    text?: string;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Operation-Id": components["headers"]["X-Operation-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        comment: components["schemas"]["Comment"];
                    };
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyKeyInUseOrClaimLost"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    undoOperation: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description Makes retries safe: the first response is replayed for 24 hours, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Fence of a claim of the caller. The write is done only if the claim is in force. Otherwise: `CLAIM_LOST`. */
                "X-Claim-Fence"?: components["parameters"]["ClaimFence"];
            };
            path: {
                /** @description Id or idempotency key of the operation. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Whether to report the effect without applying it. */
                    dryRun?: boolean;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Operation-Id": components["headers"]["X-Operation-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Undone"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyKeyInUseOrClaimLost"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listTrash: {
        parameters: {
            query?: {
                /** @description `cursor` of the previous page. */
                after?: string;
                /** @description Maximum number of entries. */
                limit?: number;
            };
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description The `ETag` of a response that the client has. The response is 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Trash"];
                };
            };
            /** @description The client has this response already. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    restoreEntries: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description Makes retries safe: the first response is replayed for 24 hours, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Fence of a claim of the caller. The write is done only if the claim is in force. Otherwise: `CLAIM_LOST`. */
                "X-Claim-Fence"?: components["parameters"]["ClaimFence"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Ids of trash entries. */
                    ids: string[];
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Operation-Id": components["headers"]["X-Operation-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Undone"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyKeyInUseOrClaimLost"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    todoHistory: {
        parameters: {
            query?: {
                /** @description `cursor` of the previous page. */
                after?: string;
                /** @description Maximum number of entries. */
                limit?: number;
            };
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description The `ETag` of a response that the client has. The response is 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the task. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskHistory"];
                };
            };
            /** @description The client has this response already. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listChanges: {
        parameters: {
            query?: {
                /** @description Cursor of the last change that was read. Without it, only the current cursor is returned. */
                after?: string;
                /** @description Maximum number of changes. */
                limit?: number;
            };
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description The `ETag` of a response that the client has. The response is 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskChanges"];
                };
            };
            /** @description The client has this response already. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationFailedOrCursorExpired"];
            401: components["responses"]["Unauthenticated"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    sync: {
        parameters: {
            query?: {
                /** @description Cursor of the last applied batch. Without it, a first load begins. */
                after?: string;
                /** @description Maximum number of entities. */
                limit?: number;
                /** @description Like `X-Account-Id`, for links and event sources, which cannot send headers. */
                account?: components["parameters"]["Account"];
            };
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description The `ETag` of a response that the client has. The response is 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
                /** @description Id of the last event that the client has received. The stream continues from there. It takes precedence over `after`. */
                "Last-Event-ID"?: components["parameters"]["LastEventId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. With `Accept: text/event-stream`: First the missing data, then changes as they happen. The id of each event is its cursor. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SyncBatch"];
                    "text/event-stream": string;
                };
            };
            /** @description The client has this response already. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationFailedOrCursorExpired"];
            401: components["responses"]["Unauthenticated"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listWorkspaceInvitations: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description The `ETag` of a response that the client has. The response is 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the workspace. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        invitations: components["schemas"]["Invitation"][];
                    };
                };
            };
            /** @description The client has this response already. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    inviteToWorkspace: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description Makes retries safe: the first response is replayed for 24 hours, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Fence of a claim of the caller. The write is done only if the claim is in force. Otherwise: `CLAIM_LOST`. */
                "X-Claim-Fence"?: components["parameters"]["ClaimFence"];
            };
            path: {
                /** @description Id of the workspace. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * Format: email
                     * @example anna@example.com
                     */
                    email: string;
                    /**
                     * @description Role of the new member. By default `editor`.
                     * @enum {string}
                     */
                    role?: "viewer" | "commenter" | "editor" | "admin";
                };
            };
        };
        responses: {
            /** @description Success. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Operation-Id": components["headers"]["X-Operation-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        invitation: components["schemas"]["Invitation"];
                    };
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyKeyInUseOrClaimLost"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    revokeInvitation: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description Makes retries safe: the first response is replayed for 24 hours, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Fence of a claim of the caller. The write is done only if the claim is in force. Otherwise: `CLAIM_LOST`. */
                "X-Claim-Fence"?: components["parameters"]["ClaimFence"];
            };
            path: {
                /** @description Id of the workspace. */
                id: string;
                /** @description Id of the invitation. */
                invitationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Operation-Id": components["headers"]["X-Operation-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        msg: "invitation revoked successfully";
                    };
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyKeyInUseOrClaimLost"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listInvitations: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description The `ETag` of a response that the client has. The response is 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        invitations: components["schemas"]["Invitation"][];
                    };
                };
            };
            /** @description The client has this response already. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    acceptInvitation: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description Makes retries safe: the first response is replayed for 24 hours, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Fence of a claim of the caller. The write is done only if the claim is in force. Otherwise: `CLAIM_LOST`. */
                "X-Claim-Fence"?: components["parameters"]["ClaimFence"];
            };
            path: {
                /** @description Id of the invitation. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Operation-Id": components["headers"]["X-Operation-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        workspace: components["schemas"]["Workspace"];
                    };
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyKeyInUseOrClaimLost"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    declineInvitation: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description Makes retries safe: the first response is replayed for 24 hours, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Fence of a claim of the caller. The write is done only if the claim is in force. Otherwise: `CLAIM_LOST`. */
                "X-Claim-Fence"?: components["parameters"]["ClaimFence"];
            };
            path: {
                /** @description Id of the invitation. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Operation-Id": components["headers"]["X-Operation-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        msg: "invitation declined successfully";
                    };
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyKeyInUseOrClaimLost"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listReminders: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description The `ETag` of a response that the client has. The response is 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the task. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        reminders: components["schemas"]["Delivery"][];
                    };
                };
            };
            /** @description The client has this response already. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getDigest: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description The `ETag` of a response that the client has. The response is 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        digest: components["schemas"]["Digest"];
                    };
                };
            };
            /** @description The client has this response already. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listDeliveries: {
        parameters: {
            query?: {
                /** @description Maximum number of mails. */
                first?: number;
            };
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description The `ETag` of a response that the client has. The response is 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        deliveries: components["schemas"]["Delivery"][];
                    };
                };
            };
            /** @description The client has this response already. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listNotifications: {
        parameters: {
            query?: {
                /** @description Only entries with unread events. */
                unread?: boolean;
                /** @description `cursor` of the previous page. */
                after?: string;
                /** @description Maximum number of entries. */
                first?: number;
            };
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description The `ETag` of a response that the client has. The response is 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Notifications"];
                };
            };
            /** @description The client has this response already. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    readNotifications: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description Makes retries safe: the first response is replayed for 24 hours, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Fence of a claim of the caller. The write is done only if the claim is in force. Otherwise: `CLAIM_LOST`. */
                "X-Claim-Fence"?: components["parameters"]["ClaimFence"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Ids of tasks, at most 10,000. */
                    taskIds?: string[] | null;
                    /** @description Time of the last of these events, inclusive. */
                    until?: string | null;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Operation-Id": components["headers"]["X-Operation-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Number of tasks that had such events. */
                        readCount: number;
                    };
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["IdempotencyKeyInUseOrClaimLost"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    muteTask: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description Makes retries safe: the first response is replayed for 24 hours, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Fence of a claim of the caller. The write is done only if the claim is in force. Otherwise: `CLAIM_LOST`. */
                "X-Claim-Fence"?: components["parameters"]["ClaimFence"];
            };
            path: {
                /** @description Id of the task. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Whether to mute the task. */
                    muted: boolean;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Operation-Id": components["headers"]["X-Operation-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        muted: boolean;
                    };
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyKeyInUseOrClaimLost"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getRecurrence: {
        parameters: {
            query?: {
                /** @description Maximum number of entries in `upcoming`. */
                first?: number;
            };
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description The `ETag` of a response that the client has. The response is 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the task. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        recurrence: components["schemas"]["Recurrence"] | null;
                    };
                };
            };
            /** @description The client has this response already. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    setRecurrence: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description Makes retries safe: the first response is replayed for 24 hours, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Fence of a claim of the caller. The write is done only if the claim is in force. Otherwise: `CLAIM_LOST`. */
                "X-Claim-Fence"?: components["parameters"]["ClaimFence"];
            };
            path: {
                /** @description Id of the task. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description RRULE value (RFC 5545, 3.3.10) of up to 500 characters, which repeats by days. Responses have its canonical form. */
                    rule: string;
                    basis?: ("schedule" | "completion" | "each") | null;
                    timeZone?: string | null;
                    start?: string | null;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Operation-Id": components["headers"]["X-Operation-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        todo: components["schemas"]["Task"];
                        recurrence: components["schemas"]["Recurrence"] | null;
                    };
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyKeyInUseOrClaimLost"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    endRecurrence: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description Makes retries safe: the first response is replayed for 24 hours, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Fence of a claim of the caller. The write is done only if the claim is in force. Otherwise: `CLAIM_LOST`. */
                "X-Claim-Fence"?: components["parameters"]["ClaimFence"];
            };
            path: {
                /** @description Id of the task. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Operation-Id": components["headers"]["X-Operation-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        msg: "recurrence removed successfully";
                    };
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyKeyInUseOrClaimLost"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    skipOccurrence: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description Makes retries safe: the first response is replayed for 24 hours, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Fence of a claim of the caller. The write is done only if the claim is in force. Otherwise: `CLAIM_LOST`. */
                "X-Claim-Fence"?: components["parameters"]["ClaimFence"];
            };
            path: {
                /** @description Id of the task. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Operation-Id": components["headers"]["X-Operation-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        todo: components["schemas"]["Task"];
                        recurrence: components["schemas"]["Recurrence"] | null;
                    };
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyKeyInUseOrClaimLost"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    previewRecurrence: {
        parameters: {
            query: {
                /** @description RRULE value (RFC 5545, 3.3.10) of up to 500 characters, which repeats by days. Responses have its canonical form. */
                rule: string;
                /** @description What the next date of a series follows from. */
                basis?: "schedule" | "completion" | "each";
                /** @description IANA name of the time zone. All days and times of the series are local to it, for every viewer. */
                timeZone?: string;
                /** @description Day from which the rule counts (DTSTART). */
                start?: string;
                /** @description Due date of the task. */
                dueDate?: string;
                /** @description Due time of the task. */
                dueTime?: string;
                /** @description Maximum number of entries in `upcoming`. */
                first?: number;
            };
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description The `ETag` of a response that the client has. The response is 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        recurrence: components["schemas"]["Recurrence"];
                    };
                };
            };
            /** @description The client has this response already. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listAssignees: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description The `ETag` of a response that the client has. The response is 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the task. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description In the order of assignment. */
                        assignees: components["schemas"]["Member"][];
                    };
                };
            };
            /** @description The client has this response already. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    addAssignee: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description Makes retries safe: the first response is replayed for 24 hours, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Fence of a claim of the caller. The write is done only if the claim is in force. Otherwise: `CLAIM_LOST`. */
                "X-Claim-Fence"?: components["parameters"]["ClaimFence"];
            };
            path: {
                /** @description Id of the task. */
                id: string;
                /** @description Id of the member. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Operation-Id": components["headers"]["X-Operation-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description In the order of assignment. */
                        assignees: components["schemas"]["Member"][];
                    };
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyKeyInUseOrClaimLost"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    removeAssignee: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description Makes retries safe: the first response is replayed for 24 hours, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Fence of a claim of the caller. The write is done only if the claim is in force. Otherwise: `CLAIM_LOST`. */
                "X-Claim-Fence"?: components["parameters"]["ClaimFence"];
            };
            path: {
                /** @description Id of the task. */
                id: string;
                /** @description Id of the member. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Operation-Id": components["headers"]["X-Operation-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description In the order of assignment. */
                        assignees: components["schemas"]["Member"][];
                    };
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyKeyInUseOrClaimLost"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listClaims: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description The `ETag` of a response that the client has. The response is 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        claims: components["schemas"]["Claim"][];
                    };
                };
            };
            /** @description The client has this response already. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    claimTask: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description Makes retries safe: the first response is replayed for 24 hours, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Fence of a claim of the caller. The write is done only if the claim is in force. Otherwise: `CLAIM_LOST`. */
                "X-Claim-Fence"?: components["parameters"]["ClaimFence"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    taskId?: string | null;
                    filter?: {
                        projectId?: string | null;
                        projectSectionId?: string | null;
                        parentId?: string | null;
                        tagIds?: string[] | null;
                        priority?: ("high" | "medium" | "low")[] | null;
                    } | null;
                    /**
                     * @description Seconds until the claim ends.
                     * @default 300
                     */
                    seconds?: number;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Operation-Id": components["headers"]["X-Operation-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        claim: components["schemas"]["OwnClaim"] | null;
                        todo: components["schemas"]["TaskWithTags"] | null;
                    };
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyKeyInUseOrTaskClaimedOrClaimLost"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    renewClaim: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description Makes retries safe: the first response is replayed for 24 hours, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Fence of a claim of the caller. The write is done only if the claim is in force. Otherwise: `CLAIM_LOST`. */
                "X-Claim-Fence"?: components["parameters"]["ClaimFence"];
            };
            path: {
                /** @description Fence of the claim. */
                fence: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description Seconds until the claim ends.
                     * @default 300
                     */
                    seconds?: number;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Operation-Id": components["headers"]["X-Operation-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        claim: components["schemas"]["OwnClaim"];
                    };
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyKeyInUseOrClaimLost"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    releaseClaim: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description Makes retries safe: the first response is replayed for 24 hours, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Fence of a claim of the caller. The write is done only if the claim is in force. Otherwise: `CLAIM_LOST`. */
                "X-Claim-Fence"?: components["parameters"]["ClaimFence"];
            };
            path: {
                /** @description Fence of the claim. */
                fence: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Operation-Id": components["headers"]["X-Operation-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        msg: "claim released successfully";
                    };
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyKeyInUseOrClaimLost"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listWebhooks: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description The `ETag` of a response that the client has. The response is 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        webhooks: components["schemas"]["Webhook"][];
                    };
                };
            };
            /** @description The client has this response already. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    url: string;
                    /** @description Kinds of changes to send. */
                    kinds?: ("created" | "updated" | "deleted")[] | null;
                    fields?: ("title" | "description" | "priority" | "dueDate" | "dueTime" | "isAllDay" | "completed" | "completedAt" | "color" | "sortKey" | "reminder" | "parent" | "project" | "section" | "assignees" | "createdBy" | "recurrence" | "tags" | "comments" | "claim")[] | null;
                    spaceIds?: string[] | null;
                    maxChanges?: number | null;
                };
            };
        };
        responses: {
            /** @description Success. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Operation-Id": components["headers"]["X-Operation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        webhook: components["schemas"]["Webhook"];
                        /** @description Key of the signatures. It is shown only once. */
                        secret: string;
                    };
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["ForbiddenOrReauthenticationRequired"];
            409: components["responses"]["ClaimLost"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description Makes retries safe: the first response is replayed for 24 hours, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Fence of a claim of the caller. The write is done only if the claim is in force. Otherwise: `CLAIM_LOST`. */
                "X-Claim-Fence"?: components["parameters"]["ClaimFence"];
            };
            path: {
                /** @description Id of the webhook. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Operation-Id": components["headers"]["X-Operation-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        msg: "webhook deleted successfully";
                    };
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyKeyInUseOrClaimLost"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description Makes retries safe: the first response is replayed for 24 hours, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Fence of a claim of the caller. The write is done only if the claim is in force. Otherwise: `CLAIM_LOST`. */
                "X-Claim-Fence"?: components["parameters"]["ClaimFence"];
            };
            path: {
                /** @description Id of the webhook. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    url?: string | null;
                    /** @description Kinds of changes to send. */
                    kinds?: ("created" | "updated" | "deleted")[] | null;
                    fields?: ("title" | "description" | "priority" | "dueDate" | "dueTime" | "isAllDay" | "completed" | "completedAt" | "color" | "sortKey" | "reminder" | "parent" | "project" | "section" | "assignees" | "createdBy" | "recurrence" | "tags" | "comments" | "claim")[] | null;
                    maxChanges?: number | null;
                    enabled?: boolean | null;
                    /** @description Moves the position: all later changes are sent again. */
                    since?: string | null;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Operation-Id": components["headers"]["X-Operation-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        webhook: components["schemas"]["Webhook"];
                    };
                };
            };
            400: components["responses"]["ValidationFailedOrCursorExpired"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["ForbiddenOrReauthenticationRequired"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyKeyInUseOrClaimLost"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
            };
            path: {
                /** @description Id of the webhook. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Operation-Id": components["headers"]["X-Operation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        webhook: components["schemas"]["Webhook"];
                        /** @description Key of the signatures. It is shown only once. */
                        secret: string;
                    };
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["ForbiddenOrReauthenticationRequired"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["ClaimLost"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
            };
            path: {
                /** @description Id of the webhook. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Operation-Id": components["headers"]["X-Operation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        attempt: components["schemas"]["WebhookAttempt"];
                    };
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["ClaimLost"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listWebhookAttempts: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description The `ETag` of a response that the client has. The response is 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the webhook. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        attempts: components["schemas"]["WebhookAttempt"][];
                    };
                };
            };
            /** @description The client has this response already. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listProviders: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        providers: {
                            /** @description Name in paths. */
                            name: string;
                            /** @description Text for a button. */
                            label: string;
                        }[];
                    };
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    startProviderSignIn: {
        parameters: {
            query?: {
                /** @description Path of this origin to return to, percent-encoded. Any other value is refused. */
                returnTo?: string;
            };
            header?: never;
            path: {
                /** @description Name of the provider. */
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description To the provider; or to `returnTo` with `?error=PROVIDER_UNAVAILABLE`, if the provider cannot be reached. */
            302: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Location: components["headers"]["Location"];
                    /** @description An HTTP-only cookie that binds the sign-in to this browser for ten minutes. */
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    finishProviderSignIn: {
        parameters: {
            query?: {
                /** @description State that was sent to the provider. */
                state?: string;
                /** @description Authorization code. */
                code?: string;
                /** @description Error of the provider, instead of `code`. */
                error?: string;
                /** @description Issuer of the response (RFC 9207). */
                iss?: string;
            };
            header?: never;
            path: {
                /** @description Name of the provider. */
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description To `returnTo`. If it failed, with `?error=` and `ACCOUNT_EXISTS`, `ALREADY_LINKED`, `EMAIL_NOT_VERIFIED`, `PROVIDER_DENIED`, `PROVIDER_UNAVAILABLE` or `UNAUTHENTICATED`. To `/?error=INVALID_STATE`, if the state is unknown, used or from another browser. */
            302: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Location: components["headers"]["Location"];
                    /** @description The session cookie after a sign-in. The cookie of the start is cleared. */
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    streamChanges: {
        parameters: {
            query?: {
                /** @description Cursor to continue from. */
                after?: string;
                /** @description Like `X-Account-Id`, for links and event sources, which cannot send headers. */
                account?: components["parameters"]["Account"];
            };
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description Id of the last event that the client has received. The stream continues from there. It takes precedence over `after`. */
                "Last-Event-ID"?: components["parameters"]["LastEventId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A stream that continues until the client or the service ends it. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["ValidationFailedOrCursorExpired"];
            401: components["responses"]["Unauthenticated"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    exportData: {
        parameters: {
            query?: {
                /** @description Like `X-Account-Id`, for links and event sources, which cannot send headers. */
                account?: components["parameters"]["Account"];
            };
            header?: {
                /** @description Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done. */
                "X-Account-Id"?: components["parameters"]["AccountId"];
                /** @description The `ETag` of a response that the client has. The response is 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Export"];
                };
            };
            /** @description The client has this response already. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthenticated"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
}
