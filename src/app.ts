import type { RequestListener, Server } from 'node:http';
import express, { type Express, Router } from 'express';
import {
  createExecutor,
  documentCache,
  listedOperations,
  operationChecker,
  operationReader,
  textCache,
  type YogaExecutor,
} from '@taskgate/execution';
import {
  createHttpServer,
  type HttpLimits,
  makeExpressMessages,
  onRefusedConnection,
  parseQueryString,
  RequestBodies,
} from '@taskgate/http';
import { compileFragment } from '@taskgate/nested-read';
import { type Clock, every } from '@taskgate/postgres';
import { Overload } from '@taskgate/work';
import { mcpEndpoint } from '../mcp/endpoint.ts';
import { oauthRoutes } from '../rest/oauth.ts';
import { openApi } from '../rest/openapi.ts';
import { restRouter } from '../rest/router.ts';
import { routes } from '../rest/routes.ts';
import { messages } from '../rest/v2/webhooks.ts';
import type { PrintCode } from './accounts/services.ts';
import { authentication, bearerOfRequest } from './accounts/authentication.ts';
import { bringsToken } from './accounts/credentials.ts';
import { type Config, hasPublicMetrics } from './config/config.ts';
import { graphqlOverWebSocket } from './graphql-transport/websocket.ts';
import { countedChecker, refuseSpentMutations } from './graphql-transport/counted-operations.ts';
import { graphiqlPage } from './graphql-transport/graphiql.ts';
import { graphqlOverHttp } from './graphql-transport/graphql-http.ts';
import { servicePlugins } from './graphql/service-plugins.ts';
import { codesLocation, consolePages, isConsoleBuilt } from './pages/console.ts';
import { docs } from './pages/docs.ts';
import { homePage } from './pages/home.ts';
import type { Context, PageSize } from './platform/context.ts';
import { type ContextOptions, requestContexts } from './http/request-contexts.ts';
import { cacheSizes } from './platform/cache-sizes.ts';
import { maxFileBytes } from './platform/input.ts';
import { healthEndpoints } from './http/health.ts';
import { pipeline } from './http/pipeline.ts';
import { endpointsOf, startBackground } from './modules.ts';
import { schema } from './schema.ts';
import { type AppServices, createServices } from './services.ts';

export interface Addresses {
  databaseUrl: string;
  publicUrl: string;
}

export interface AppOptions {
  bodies?: RequestBodies;
  overload?: Overload;
  /** Absent: the database's clock. */
  clock?: Clock;
  /** Absent: as configured. */
  executor?: YogaExecutor<Context>;
  /** For services without a mail server. */
  printCode?: PrintCode | undefined;
}

export interface App {
  services: AppServices;
  listener: RequestListener;
  /** Must be called before the server's first request. */
  attach(server: Server): void;
  /** Makes `/readyz` answer 503. */
  announceStop(): void;
  /** Ends subscriptions, which would keep a closing server open. */
  goAway(): Promise<void>;
  /** Requests must have finished. */
  close(): Promise<void>;
}

/** REST lists have no pages. Longer ones than the default are streamed. */
const restPageSize: PageSize = { default: 2000, max: 20_000, isWhole: true };
const graphqlPageSize: PageSize = { default: 50, max: 500 };

/** @throws {StartError} if the persisted operations are invalid */
export function executorOf(config: Config): YogaExecutor<Context> {
  const caches = cacheSizes(config.cacheBytes);
  return createExecutor(schema, {
    introspection: config.introspection,
    persisted: {
      listed: listedOperations(config.persistedOperations, schema),
      only: config.persistedOnly,
      registered: textCache(caches.texts),
    },
    documents: documentCache(caches.documents),
    plugins: servicePlugins(),
  });
}

/** Wires the service. Does not listen. */
export async function buildApp(
  config: Config,
  { databaseUrl, publicUrl }: Addresses,
  {
    bodies = new RequestBodies(),
    overload = new Overload(),
    clock,
    printCode,
    executor = executorOf(config),
  }: AppOptions = {},
): Promise<App> {
  const services = await createServices(config, { databaseUrl, publicUrl, clock, printCode });
  const { accounts, changes, connections, requestLimits: limits, secrets } = services;
  overload.measure();
  const background = [
    ...startBackground(services),
    every(overload.windowMs, 'adjustment to the load', () => Promise.resolve(overload.adjust())),
  ];

  const { credentials } = accounts;
  const authenticated = authentication(
    { connections, credentials, secrets, secure: publicUrl.startsWith('https:') },
    services.securityLog,
  );
  const watchSession = (sessionId: string, end: () => void) => changes.watchSession(sessionId, end);
  const origins = { publicUrl, corsOrigins: config.corsOrigins, securityLog: services.securityLog, bringsToken };
  const check = operationChecker(executor);
  const graphql = {
    executor,
    checkOperation: countedChecker(check, limits),
    limits,
    readOperation: operationReader(maxFileBytes),
  };
  const contextOptions: ContextOptions = {
    services,
    bearerOfRequest,
    viewerOf: authenticated.viewerOf,
    controlOf: authenticated.controlOf,
    watchSession,
    bodies,
    limits,
    requireUploads: (userId) => accounts.limits.uploadsOfAccount.requireOpen(userId),
    publicUrl,
  };
  const restContexts = requestContexts(contextOptions, { api: 'rest', pageSize: restPageSize });
  const graphqlContexts = requestContexts(contextOptions, { api: 'graphql', pageSize: graphqlPageSize });
  const mcpContexts = requestContexts(contextOptions, { api: 'mcp', pageSize: graphqlPageSize });
  services.webhooks.begin({ task: compileFragment(schema, messages.task), show: messages.show }, overload);
  const webSockets = graphqlOverWebSocket({
    ...graphql,
    origins,
    services,
    bodies,
    ofUpgrade: authenticated.ofUpgrade,
    ofSocket: authenticated.ofSocket,
    viewerOf: async (key) => (await credentials.readAccess(key)).viewer,
    watchSession,
    publicUrl,
    pageSize: graphqlPageSize,
    overload,
  });

  let stopping = false;
  const middleware = pipeline({
    overload,
    turns: services.turns,
    limits,
    origins,
    bearerOf: bearerOfRequest,
    endpoints: endpointsOf(services),
    handlers: {
      probes: healthEndpoints(connections, () => stopping, hasPublicMetrics(config)),
      pages: config.console && isConsoleBuilt() ? consolePages(codesLocation(config)) : homePage(),
      docs: docs(),
      openApi: openApi(schema, routes),
      refuseSpentMutations: refuseSpentMutations({ ...graphql, check, bodies }),
      authenticate: authenticated.middleware,
      graphiql: config.introspection && !config.persistedOnly ? graphiqlPage() : Router(),
      graphql: graphqlOverHttp({ ...graphql, contexts: graphqlContexts }),
      mcp: mcpEndpoint(executor, mcpContexts),
      rest: restRouter(executor, config.console ? [...routes, ...oauthRoutes] : routes, restContexts),
    },
  });
  const app = expressApp(config);
  for (const row of middleware) if ('use' in row) app.use(row.path ?? '/', row.use);

  return {
    services,
    listener: middleware.reduceRight<RequestListener>(
      (handle, row) => ('around' in row ? row.around(handle) : handle),
      app,
    ),
    attach(server) {
      makeExpressMessages(server, app);
      onRefusedConnection(server, (clientAddress, refusal) =>
        services.securityLog.refusal({ viewer: null, clientAddress }, refusal),
      );
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
    },
  };
}

function expressApp({ trustProxy }: Config): Express {
  const app = express();
  app.disable('x-powered-by');
  app.enable('case sensitive routing');
  // GET has an ETag from the revisions. Hashes of other responses are useless.
  app.disable('etag');
  app.set('trust proxy', trustProxy);
  app.set('query parser', parseQueryString);
  return app;
}

export function openServer(config: Config, limits: Partial<HttpLimits> = {}): Server {
  const { rateLimits, rates } = config;
  // The peer of a connection may be a proxy with many clients.
  const trusts = expressApp(config).get('trust proxy fn') as (address: string, hops: number) => boolean;
  return createHttpServer({
    maxConnectionsOfClient: rateLimits ? rates.connections : Infinity,
    isProxy: (address) => trusts(address, 0),
    ...limits,
  });
}
