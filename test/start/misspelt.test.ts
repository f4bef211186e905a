import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { knownVariables, loadConfig } from '../../src/config/config.ts';
import { misspelt } from '../../src/config/misspelt.ts';

test.each([
  ['DATABSE_URL', 'DATABASE_URL'],
  ['DATABASE_URI', 'DATABASE_URL'],
  ['DATABASE_URLS', 'DATABASE_URL'],
  ['DATABASE_READ_URL', 'DATABASE_READ_URLS'],
  ['DATABASE_POOL', 'DATABASE_POOL_SIZE'],
  ['DATABSE_URL_FILE', 'DATABASE_URL_FILE'],
  ['MAIL_FROM_FILE', 'MAIL_FROM'],
  ['DATA_DRI', 'DATA_DIR'],
  ['REDIS_URI', 'REDIS_URL'],
  ['CORS_ORIGIN', 'CORS_ORIGINS'],
  ['RATE_LIMIT', 'RATE_LIMITS'],
  ['RATE_LIMIT_WRITE', 'RATE_LIMIT_WRITES'],
  ['RATELIMIT_WRITE', 'RATE_LIMIT_WRITES'],
  ['RATE_LIMIT_GRAPHQL', 'RATE_LIMIT_GRAPHQL_COST'],
  ['SHUTDOWN_DELAY', 'SHUTDOWN_DELAY_MS'],
  ['SHUTDOWN_DELY', 'SHUTDOWN_DELAY_MS'],
  ['SHUTDOWN_TIMEOUT_SECONDS', 'SHUTDOWN_TIMEOUT_MS'],
  ['HISTORY_RETENTION', 'HISTORY_RETENTION_DAYS'],
  ['SESSION_SECRETS', 'SESSION_SECRET'],
  ['SESION_SECRET', 'SESSION_SECRET'],
  ['METRIC_PORT', 'METRICS_PORT'],
  ['NODE_EVN', 'NODE_ENV'],
  ['LOGLEVEL', 'LOG_LEVEL'],
  ['Log_Level', 'LOG_LEVEL'],
  ['OTEL_EXPORTER_OTLP_ENPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'],
])('%s is close to %s', (variable, suggestion) => {
  expect(misspelt([variable], knownVariables)).toEqual([{ variable, closeTo: suggestion }]);
  expect(loadConfig({ [variable]: 'x' }).misspelt).toEqual([{ variable, closeTo: suggestion }]);
});

test.each([
  ['ODIC_MAIN_ISSUER', 'OIDC_MAIN_ISSUER'],
  ['ODIC_MY_IDP_CLIENT_SECRET', 'OIDC_MY_IDP_CLIENT_SECRET'],
])('%s is close to %s, of a provider', (variable, suggestion) => {
  const provider = { OIDC_PAIN_ISSUER: 'https://x.example.com', OIDC_PAIN_CLIENT_ID: 'x' };
  const others = { AUTH0_MAIN_CLIENT_ID: 'x', OAUTH_MAIN_CLIENT_ID: 'x' };
  expect(loadConfig({ [variable]: 'x', ...provider, ...others }).misspelt).toEqual([{ variable, closeTo: suggestion }]);
});

test('known, foreign and empty variables are close to nothing', () => {
  expect(misspelt(knownVariables, knownVariables)).toEqual([]);
  expect(loadConfig({ DATABSE_URL: '', RATE_LIMITS: 'on', PATH: '/bin' }).misspelt).toEqual([]);
});

test('an invalid configuration names it in the same line', () => {
  expect(() => loadConfig({ NODE_ENV: 'production', MAIL_TO_FILES: 'on', SESSION_SECRT: 'sixteen-letters!' })).toThrow(
    /^SESSION_SECRET is required when NODE_ENV is production; SESSION_SECRT is unknown: did you mean SESSION_SECRET\?$/,
  );
});

const foreign = `
  PATH HOME USER LOGNAME SHELL TERM LANG LANGUAGE LC_ALL PWD OLDPWD SHLVL TZ TMPDIR TEMP TMP EDITOR PAGER DISPLAY MAIL MAILTO
  HOSTNAME HOSTS HOSTTYPE HOST_NAME HOST_IP PORTS PORT_RANGE HTTP_PORT HTTPS_PORT SERVER_PORT APP_PORT APP_HOST APP_ENV APP_NAME APP_KEY APP_DEBUG
  API_URL API_KEY API_HOST BASE_URL SITE_URL ROOT_URL WEB_URL HTTP_URL URL URI DEBUG VERBOSE CI CD ENV ENVIRONMENT DOMAIN SECRET
  LOG_DIR LOG_FILE LOG_PATH LOG_FORMAT LOGS_DIR LOG_COLOR LOG_OUTPUT CACHE CACHE_DIR CACHE_URL CACHE_SIZE CACHE_TTL CACHE_DRIVER XDG_DATA_DIRS XDG_DATA_HOME
  XDG_CACHE_HOME XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_SESSION_ID DBUS_SESSION_BUS_ADDRESS SSH_AUTH_SOCK SSH_CONNECTION
  CONFIG_DIR STATE_DIRECTORY RUNTIME_DIRECTORY CONFIGURATION_DIRECTORY LOGS_DIRECTORY CREDENTIALS_DIRECTORY BASE_DIR WORK_DIR HOME_DIR TEMP_DIR ROOT_DIR
  PGHOST PGPORT PGUSER PGDATA PGDATABASE PGPASSWORD PGPASSFILE PGSSLMODE PGSSLROOTCERT PGAPPNAME PGOPTIONS PGTZ
  POSTGRES_HOST POSTGRES_PORT POSTGRES_USER POSTGRES_PASSWORD POSTGRES_DB POSTGRES_URL DB_URL DB_HOST DB_PORT DB_NAME DB_USER DB_PASSWORD
  DATABASE DATABASE_HOST DATABASE_PORT DATABASE_NAME DATABASE_USER DATABASE_PASSWORD DATABASE_SSL DATABASE_TYPE MYSQL_URL MONGO_URL
  REDIS_HOST REDIS_PORT REDIS_PASSWORD REDIS_DB REDIS_TLS REDIS_SERVICE_HOST REDIS_PORT_6379_TCP REDIS_PORT_6379_TCP_ADDR
  SMTP_HOST SMTP_PORT SMTP_USER SMTP_PASS SMTP_PASSWORD SMTP_FROM SMTP_SECURE MAIL_HOST MAIL_PORT MAIL_TO MAIL_URL MAIL_DRIVER MAIL_USERNAME
  KUBERNETES_PORT KUBERNETES_SERVICE_HOST KUBERNETES_SERVICE_PORT TASKGATE_PORT TASKGATE_SERVICE_HOST TASKGATE_PORT_3000_TCP POD_NAME POD_IP NODE_NAME
  NODE_OPTIONS NODE_PATH NODE_VERSION NODE_DEBUG NODE_NO_WARNINGS NODE_TLS_REJECT_UNAUTHORIZED NODE_HOME NODE_IP UV_THREADPOOL_SIZE YARN_VERSION
  npm_config_cache npm_config_prefix npm_lifecycle_event npm_package_name npm_package_version npm_node_execpath npm_command INIT_CWD COLOR FORCE_COLOR NO_COLOR
  INVOCATION_ID JOURNAL_STREAM NOTIFY_SOCKET LISTEN_FDS LISTEN_PID WATCHDOG_USEC MAINPID SYSTEMD_EXEC_PID container
  OTEL_SDK_DISABLED OTEL_LOG_LEVEL OTEL_PROPAGATORS OTEL_TRACES_EXPORTER OTEL_METRICS_EXPORTER OTEL_LOGS_EXPORTER OTEL_EXPORTER_OTLP_PROTOCOL
  OTEL_EXPORTER_OTLP_TIMEOUT OTEL_EXPORTER_OTLP_INSECURE OTEL_EXPORTER_OTLP_COMPRESSION OTEL_EXPORTER_OTLP_TRACES_ENDPOINT OTEL_EXPORTER_OTLP_METRICS_ENDPOINT
  OTEL_EXPORTER_OTLP_TRACES_HEADERS OTEL_BSP_SCHEDULE_DELAY OTEL_BSP_MAX_QUEUE_SIZE OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT
  SSL_CERT_FILE SSL_CERT_DIR HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy ALL_PROXY FTP_PROXY
  AWS_REGION AWS_PROFILE AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN GITHUB_TOKEN GITHUB_SHA GITHUB_REF GITLAB_CI JENKINS_URL BUILD_ID BUILD_NUMBER
  SESSION_KEY SESSION_NAME SESSION_DRIVER SESSION_LIFETIME SESSION_SECURE SESSION_DOMAIN COOKIE_SECRET JWT_SECRET SECRET_KEY PASSWORD PASSWORD_SALT
  METRICS METRICS_PATH METRICS_ENABLED METRICS_USER PUBLIC_DIR PUBLIC_IP PUBLIC_PATH PUBLIC_HOST TRUST_STORE CONSOLE_URL CORS_ENABLED CORS_HEADERS
  RATE_LIMIT_MAX RATE_LIMIT_WINDOW_MS SHUTDOWN_GRACE_PERIOD GRAPHQL_URL GRAPHQL_PATH WEB_CONCURRENCY DYNO HEROKU_APP_NAME VERCEL_URL RENDER RAILWAY_ENVIRONMENT
  PROMPT PS1 IFS ZDOTDIR LS_COLORS LESSOPEN VIRTUAL_ENV PYTHONPATH GOPATH JAVA_HOME JAVA_OPTS CARGO_HOME RUST_LOG DOCKER_HOST COMPOSE_PROJECT_NAME
`
  .split(/\s+/)
  .filter(Boolean);

test('variables of other programs are close to nothing', () => {
  expect(foreign.length).toBeGreaterThan(250);
  expect(misspelt(foreign, knownVariables)).toEqual([]);
  expect(misspelt(Object.keys(process.env), knownVariables)).toEqual([]);
});

test('names of common words that other programs use are close to nothing', () => {
  const owners = [
    'APP',
    'API',
    'DB',
    'WEB',
    'PG',
    'MYSQL',
    'REDIS',
    'SMTP',
    'MAIL',
    'DATABASE',
    'SESSION',
    'CACHE',
    'LOG',
    'NODE',
    'AWS',
    'K8S',
  ];
  const nouns = [
    'HOST',
    'PORT',
    'USER',
    'USERNAME',
    'PASSWORD',
    'NAME',
    'PATH',
    'FILE',
    'TOKEN',
    'KEY',
    'ID',
    'REGION',
    'ENABLED',
    'TIMEOUT',
    'TYPE',
    'SSL',
    'TLS',
    'DB',
    'OPTS',
  ];
  const names = owners.flatMap((owner) => nouns.map((noun) => `${owner}_${noun}`));
  expect(misspelt(names, knownVariables)).toEqual([]);
});

const change = (name: string, at: number, how: number, letter: string): string => {
  const [head, tail] = [name.slice(0, at), name.slice(at)];
  return [
    `${head}${letter}${tail}`,
    `${head}${tail.slice(1)}`,
    `${head}${letter}${tail.slice(1)}`,
    `${head}${tail.charAt(1)}${tail.charAt(0)}${tail.slice(2)}`,
  ][how] as string;
};

test('each known name of eight letters or more is found with any one letter wrong, in one entry', () => {
  const long = knownVariables.filter((name) => name.length >= 8);
  const letter = fc.stringMatching(/^[A-Z_]$/);
  fc.assert(
    fc.property(fc.constantFrom(...long), fc.nat(), fc.nat(3), letter, (name, seed, how, other) => {
      const changed = change(name, seed % (name.length - 1), how, other);
      if (knownVariables.includes(changed)) return;
      const found = misspelt([changed], knownVariables);
      expect(found).toHaveLength(1);
      // Another known name may be equally close.
      expect(misspelt([changed], [name])).toEqual([{ variable: changed, closeTo: name }]);
    }),
    { numRuns: 2000 },
  );
});
