import type { Server } from 'node:http';
import express from 'express';
import type { Config } from './config.ts';
import { createHttpServer } from './transport/http-server.ts';

/** The server that takes requests, as it is configured. */
export const openServer = ({ rateLimits, rates, trustProxy }: Config): Server =>
  createHttpServer({
    maxConnectionsOfClient: rateLimits ? rates.connections : Infinity,
    isProxy: trustedProxies(trustProxy),
  });

/** Whether `TRUST_PROXY` names the other side of a connection: many clients come by it. */
function trustedProxies(setting: Config['trustProxy']): (address: string) => boolean {
  const app = express();
  app.set('trust proxy', setting);
  const trusts = app.get('trust proxy fn') as (address: string, hops: number) => boolean;
  return (address) => trusts(address, 0);
}
