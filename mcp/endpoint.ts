import {
  createMcpHandler,
  isLegacyRequest,
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type Tool as ListedTool,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { Request as HttpRequest, RequestHandler, Response as HttpResponse } from 'express';
import { z } from 'zod';
import { invalid } from '@taskgate/base';
import { json, jsonParser } from '@taskgate/http';
import { noteRequest, type RequestContexts } from '../src/door/http.ts';
import { type Context, type Executor, requireFitting, signedIn, version } from '../src/door/index.ts';
import { callsOf } from './calls.ts';
import { isReading, type NamedTool } from './tool.ts';
import { tools } from './tools.ts';

const jsonBody = jsonParser([json]);

const instructions =
  'Taskgate manages the tasks of the user and of their workspaces. Call `overview` first. A call that writes is one operation: it happens as a whole or not at all, and `undo` takes it back by its `operationId`.';

/** Without `$schema`, which takes bytes of the list. */
function schemaOf(shape: z.ZodObject, io: 'input' | 'output') {
  const schema = z.toJSONSchema(shape, { io });
  delete schema.$schema;
  return schema as object as ListedTool['inputSchema'];
}

function shown(tool: NamedTool) {
  const { name, description, input, output, hints } = tool;
  const readOnlyHint = isReading(tool);
  return {
    name,
    description,
    inputSchema: schemaOf(input, 'input'),
    outputSchema: schemaOf(output, 'output'),
    annotations: { readOnlyHint, destructiveHint: false, idempotentHint: readOnlyHint, openWorldHint: false, ...hints },
  };
}

/** Serves the tools to agents, without sessions. @throws if a document does not fit the schema */
export function mcpEndpoint(executor: Executor, contexts: RequestContexts): RequestHandler {
  for (const { name, documents } of tools) requireFitting(executor.schema, `the tool ${name}`, ...documents);
  const call = callsOf(executor);
  const all = tools.map(shown);
  const reading = all.filter(({ annotations }) => annotations.readOnlyHint);

  const serverFor = (context: Context, request: HttpRequest, response: HttpResponse) => () => {
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- McpServer derives the schemas again for each request, and words faults itself
    const server = new Server(
      { name: 'taskgate', title: 'Taskgate', version },
      {
        capabilities: { tools: {} },
        supportedProtocolVersions: ['2025-11-25', '2025-06-18', '2025-03-26'],
        instructions,
        cacheHints: { 'tools/list': { cacheScope: 'private' } },
      },
    );
    const listed = signedIn(context).credential.rights === 'read' ? reading : all;
    server.setRequestHandler('tools/list', () => ({ tools: listed }));
    server.setRequestHandler('tools/call', ({ params }) => {
      const tool = tools.find(({ name }) => name === params.name);
      const known = listed.map(({ name }) => name).join(', ');
      if (!tool)
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no such tool: the tools are ${known}`);
      noteRequest(request, { operation: { type: 'tool', name: tool.name } });
      return call(tool, params.arguments, context, response);
    });
    return server;
  };

  return async (request, response) => {
    const { body, context } = await contexts.afterBody(request, async (receive): Promise<unknown> => {
      await receive(jsonBody);
      return request.body;
    });
    signedIn(context);
    // Older clients may send them: one request would be a hundred writes.
    if (Array.isArray(body)) throw invalid('body', 'must be one call, not an array of calls');
    const answer = await serve(request, body, serverFor(context, request, response));
    response.status(answer.status).setHeader('Cache-Control', 'no-store');
    const type = answer.headers.get('content-type');
    if (type) response.setHeader('Content-Type', type);
    response.end(Buffer.from(await answer.arrayBuffer()));
  };
}

/** Of both generations of the protocol. The response is complete before it is sent. */
async function serve({ method, headers }: HttpRequest, parsedBody: unknown, serverFor: () => McpServer['server']) {
  // The URL is not read.
  const request = new Request('http://localhost/mcp', { method, headers: headers as Record<string, string> });
  if (!(await isLegacyRequest(request, parsedBody))) {
    const options = { legacy: 'reject', maxSubscriptions: 0, keepAliveMs: 0 } as const;
    return createMcpHandler(serverFor, options).fetch(request, { parsedBody });
  }
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  const server = serverFor();
  await server.connect(transport);
  try {
    return await transport.handleRequest(request, { parsedBody });
  } finally {
    await server.close();
  }
}
