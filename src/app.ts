import type { RequestListener, Server, ServerResponse } from 'node:http';
import path from 'node:path';
import express, { type Request } from 'express';
import { docs } from '../rest/docs.ts';
import { onError, onUnknownPath, restRouter } from '../rest/router.ts';
import { routes } from '../rest/routes.ts';
import { eventStream } from '../rest/v2/events.ts';
import { exportEndpoint } from '../rest/v2/export.ts';
import { pruneAttempts } from './accounts/attempt-data.ts';
import { pruneCodes } from './accounts/codes.ts';
import { lookAtSession, removeStrayAvatars } from './accounts/rules.ts';
import { pruneSessions } from './accounts/session-end.ts';
import { hasSession, sessions, sessionUserId, viewerOf } from './accounts/session.ts';
import { pruneKnownDevices } from './accounts/sign-in-data.ts';
import { type Config, hasPublicMetrics } from './config.ts';
import { webSocketDoor } from './transport/websocket.ts';
import { countedChecker } from './transport/counted-operations.ts';
import { graphqlDoor, onGraphqlError } from './transport/graphql-http.ts';
import { operationChecker } from './graphql/check-operation.ts';
import { corsHeaders, isAllowedOrigin, refuseForeignPages } from './transport/origins.ts';
import { listedOperations } from './graphql/persisted.ts';
import { refuseSpentMutations } from './transport/spent-mutations.ts';
import { home } from './home.ts';
import { Cancellation, type Deadlines } from './kernel/cancellation.ts';
import type { OperationSource, PageSize } from './kernel/context.ts';
import type { RequestContexts } from './transport/request-contexts.ts';
import { assignClientAddress, clientAddressFrom } from './transport/client-address.ts';
import { checkConnections } from './database/connections.ts';
import { connectDatabase, disconnectDatabase } from './database/database.ts';
import { makeExpressMessages } from './transport/http-server.ts';
import { endInFlight, shedLoad, whileIdle } from './transport/load-shedding.ts';
import { healthEndpoints } from './transport/health.ts';
import { Overload } from './transport/overload.ts';
import { every } from './database/periodic.ts';
import { inOrder } from './transport/pipelining.ts';
import { parseQueryString } from './transport/query-string.ts';
import { pruneRateLimits } from './rate-limits/rate-limit-store.ts';
import { type BodyParser, RequestBodies } from './transport/request-body.ts';
import { measureRequests } from './transport/request-metrics.ts';
import { assignRequestId } from './transport/request-id.ts';
import type { SignedInCaller } from './transport/request-limits.ts';
import { noteRequest, requestLog } from './transport/request-log.ts';
import { securityHeaders, setHeaders } from './transport/security-headers.ts';
import { keySecurityLog } from './kernel/security-log.ts';
import { staticFiles } from './transport/static-files.ts';
import { schema } from './schema.ts';
import { type AppServices, createServices } from './services.ts';
import { pruneInvitations } from './workspaces/invitation-rules.ts';

/** What the app needs to know beyond the configuration: where it ended up. */
export interface Place {
  databaseUrl: string;
  /** Origin of the service as users see it, without a slash at the end. */
  publicUrl: string;
}

export interface AppOptions {
  /** What reads the bodies of requests; absent: with the usual limits. */
  bodies?: RequestBodies;
  /** What says when the process has too much to do; absent: with the usual limits. */
  overload?: Overload;
}

export interface App {
  services: AppServices;
  /** Answers the server's requests. */
  listener: RequestListener;
  /** Makes the server's requests Express's, and takes its upgrades to WebSocket; before the listener is given any. */
  attach(server: Server): void;
  /** Says that the service is about to stop: `/readyz` answers 503 from now on. */
  announceStop(): void;
  /** Ends all subscriptions with the reason; without it a server that closes would wait for them. */
  goAway(): Promise<void>;
  /** Ends background work and connections; requests must have been finished before. */
  close(): Promise<void>;
}

const hour = 60 * 60 * 1000;

/** REST lists have no pages: they are made as a whole up to so many entries, and beyond sent while they are read. */
const restPageSize: PageSize = { default: 2000, max: 2000, isWhole: true };
const graphqlPageSize: PageSize = { default: 50, max: 500 };

/** Wires the service: database, rooms, middleware and the doors. It listens to nothing. */
export async function buildApp(
  config: Config,
  { databaseUrl, publicUrl }: Place,
  { bodies = new RequestBodies(), overload = new Overload() }: AppOptions = {},
): Promise<App> {
  // What can be wrong with the configuration is looked at before anything is opened.
  const check = operationChecker(schema, {
    introspection: config.introspection,
    persisted: { listed: await listedOperations(config.persistedOperationsFile, schema), only: config.persistedOnly },
  });
  connectDatabase(databaseUrl, { transactionPooling: config.transactionPooling, directUrl: config.databaseDirectUrl });
  await checkConnections();
  const services = await createServices(config, databaseUrl);
  const { accounts, changes, requestLimits, secrets } = services;
  const checkOperation = countedChecker(check, requestLimits);
  keySecurityLog(secrets[0] ?? '');
  const cookieSessions = sessions({ secrets, secure: publicUrl.startsWith('https:') });
  overload.observe();
  const background = [
    every(hour, 'pruning of sessions', pruneSessions),
    every(hour, 'pruning of known devices', pruneKnownDevices),
    every(hour, 'pruning of sign-up codes', pruneCodes),
    every(hour, 'pruning of rate limits', pruneRateLimits),
    every(hour, 'pruning of failed attempts', pruneAttempts),
    every(hour, 'removal of stray avatars', () => removeStrayAvatars(accounts.avatars)),
    every(hour, 'pruning of invitations', pruneInvitations),
    every(overload.windowMs, 'the look at the load', () => Promise.resolve(overload.look())),
  ];

  /** Before the session is looked up. */
  const receiveFrom =
    (request: Request, { session, clientAddress }: SignedInCaller) =>
    (parser: BodyParser) =>
      bodies.receive(request, { account: session.userId, clientAddress }, parser);

  const contexts = (api: OperationSource['api'], pageSize: PageSize): RequestContexts<Request> => ({
    hasSession,
    watchSession: (sessionId, end) => changes.watchSession(sessionId, end),
    async afterBody(request, readBody) {
      const { clientAddress, id: requestId, res: response } = request;
      const account = sessionUserId(request);
      const session = account === undefined ? undefined : { id: request.sessionID, userId: account };
      const caller = { requestId, clientAddress, session, response };
      if (api === 'rest') requestLimits.countRest(request.method, caller);
      else requestLimits.requireOperations(caller);
      const body = await readBody((parser) => {
        if (parser.takesFiles && account !== undefined) accounts.limits.uploadsOfAccount.requireOpen(account);
        return whileIdle(request, () => bodies.receive(request, { account, clientAddress }, parser));
      });
      const viewer = await viewerOf(request);
      noteRequest(request, { userId: viewer?.id });
      let cancellation: Cancellation | undefined;
      const context = {
        services,
        viewer,
        session: cookieSessions.controlOf(request),
        requestId,
        source: { api, transport: 'http' as const },
        // What is answered from the response cache is answered at once: nobody asks for it.
        get cancellation() {
          return (cancellation ??= cancellationOf(request, services.deadlines));
        },
        clientAddress,
        userAgent: request.get('User-Agent'),
        publicUrl,
        pageSize,
        whenSent: () => whenClosed(request),
      };
      return { body, context };
    },
  });

  const origins = { publicUrl, corsOrigins: config.corsOrigins };
  const webSockets = webSocketDoor({
    services,
    schema,
    check: checkOperation,
    sessionOf: cookieSessions.ofUpgrade,
    viewerOfSession: async (sessionId) => (await lookAtSession(sessionId)).viewer,
    watchSession: (sessionId, end) => changes.watchSession(sessionId, end),
    admit(upgrade) {
      // No middleware has seen it, but the server made it as Express's: its address is read by the proxies that are trusted.
      const request = upgrade as Request;
      request.clientAddress = clientAddressFrom(request.ip);
      requestLimits.countUpgrade(request);
      return request.clientAddress;
    },
    isAllowedOrigin: (origin, host) => isAllowedOrigin(origin, host, origins),
    publicUrl,
    pageSize: graphqlPageSize,
    overload,
  });

  let stopping = false;
  const headers = securityHeaders(publicUrl);
  const cors = corsHeaders(origins);
  const app = express();
  app.disable('x-powered-by');
  app.enable('case sensitive routing');
  // What is answered to a GET has one by the state of what was read; a hash of any other answer is nobody's.
  app.disable('etag');
  app.set('trust proxy', config.trustProxy);
  app.set('query parser', parseQueryString);
  app.use(assignRequestId, assignClientAddress(), requestLog(), measureRequests);
  app.use(setHeaders(headers), cors);
  app.use(healthEndpoints({ isStopping: () => stopping, metrics: hasPublicMetrics(config) }));
  app.use(requestLimits.countRequests);
  app.use('/avatars', avatarFiles(accounts.avatars.folder));
  app.get('/', home);
  app.use('/docs', docs(routes, publicUrl));
  app.use(requestLimits.refuseSpent);
  app.use('/graphql', refuseSpentMutations({ check, limits: requestLimits, receiveFrom }));
  app.use(cookieSessions.middleware);
  app.use(
    '/graphql',
    graphqlDoor({
      origins,
      schema,
      checkOperation,
      limits: requestLimits,
      contexts: contexts('graphql', graphqlPageSize),
      graphiql: config.introspection && !config.persistedOnly,
    }),
  );
  app.use('/api', refuseForeignPages(origins));
  app.use(eventStream(schema, contexts('rest', restPageSize)));
  app.use(exportEndpoint(schema, contexts('rest', restPageSize)));
  app.use(restRouter(schema, routes, contexts('rest', restPageSize)));
  app.use('/graphql', onGraphqlError);
  app.use(onUnknownPath, onError);

  return {
    services,
    listener: inOrder(shedLoad(app, { overload, headers, cors })),
    attach(server) {
      makeExpressMessages(server, app);
      webSockets.attach(server);
    },
    announceStop() {
      stopping = true;
    },
    async goAway() {
      const closing = webSockets.close();
      changes.endSubscriptions();
      await closing;
    },
    async close() {
      for (const work of background) work.stop();
      await services.close();
      await disconnectDatabase();
    },
  };
}

/** The caller has hung up where the connection ends before the answer has been sent. */
function cancellationOf(request: Request, deadlines: Deadlines): Cancellation {
  const { res: response } = request;
  const cancellation = new Cancellation(deadlines, () => endInFlight(request));
  const onClose = () => {
    if (response?.writableFinished) cancellation.lift();
    else cancellation.hangUp();
  };
  if (response?.closed) onClose();
  else response?.once('close', onClose);
  return cancellation;
}

/** Settles when the answer has left the process, or never will. */
const whenClosed = ({ res: response }: Request): Promise<void> =>
  new Promise((resolve) => {
    if (!response || response.closed) resolve();
    else response.once('close', resolve);
  });

/** Avatars are for every page to show; a file's name is never used again, so that it never changes. */
const avatarFiles = (folder: string) =>
  staticFiles(folder, {
    immutable: true,
    maxAge: '1y',
    setHeaders(response: ServerResponse, file: string) {
      response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
      // Its own name, so that a browser makes up none from the address (OWASP ASVS 5.4.1).
      response.setHeader('Content-Disposition', `inline; filename="${path.basename(file)}"`);
    },
  });
