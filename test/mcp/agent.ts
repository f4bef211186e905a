import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client';
import { expect } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { makeProgram, type Program } from '../kit/program.ts';
import type { User } from '../kit/users.ts';

type Structured = Record<string, unknown>;

interface ToolResult {
  isError?: boolean;
  content: { type: string; text?: string }[];
  structuredContent?: Structured;
}

export interface Task {
  id: string;
  title: string;
  [field: string]: unknown;
}

/** The result of a tool that reads or writes tasks. */
export interface Tasks {
  tasks: Task[];
  operationId?: string;
}

const ajv = new Ajv2020({ strict: true, allErrors: true });

/** A client of the newest protocol, with an access token. Each result is checked against the schema of its tool. */
export class Agent {
  readonly client: ModernClient;
  readonly program: Program;

  private constructor(client: ModernClient, program: Program) {
    this.client = client;
    this.program = program;
  }

  static async of(
    service: { url: string },
    user: User,
    options: Parameters<typeof makeProgram>[2] = {},
  ): Promise<Agent> {
    return Agent.as(service, await makeProgram(service, user, options));
  }

  static async as(service: { url: string }, program: Program): Promise<Agent> {
    const client = new ModernClient(
      { name: 'test', version: '1' },
      { versionNegotiation: { mode: { pin: '2026-07-28' } } },
    );
    const headers = { Authorization: `Bearer ${program.token}` };
    await client.connect(new ModernTransport(new URL(`${service.url}/mcp`), { requestInit: { headers } }));
    return new Agent(client, program);
  }

  async tools() {
    return (await this.client.listTools()).tools;
  }

  async result(name: string, args: object = {}): Promise<ToolResult> {
    const result = (await this.client.callTool({ name, arguments: { ...args } })) as ToolResult;
    expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThanOrEqual(64 * 1024);
    expect(JSON.stringify(result.structuredContent ?? {})).not.toContain(':null');
    return result;
  }

  /** A call that succeeds. */
  async call<Value = Structured>(name: string, args: object = {}): Promise<Value> {
    const { isError, content, structuredContent } = await this.result(name, args);
    const [{ text = '' } = {}] = content;
    if (isError) throw new Error(text);
    expect(JSON.parse(text)).toEqual(structuredContent);
    const tool = (await this.tools()).find((each) => each.name === name);
    const isValid = ajv.compile(tool?.outputSchema ?? {});
    expect([isValid(structuredContent), isValid.errors]).toEqual([true, null]);
    return structuredContent as Value;
  }

  /** The text of a call that fails. */
  async fault(name: string, args: object = {}): Promise<string> {
    const { isError, content, structuredContent } = await this.result(name, args);
    expect({ isError, structuredContent }).toEqual({ isError: true, structuredContent: undefined });
    return content[0]?.text ?? '';
  }
}

/** Titles of all tasks that the agent sees, sorted. */
export const titlesOf = async (agent: Agent): Promise<string[]> =>
  (await agent.call<Tasks>('list_tasks', { limit: 100 })).tasks.map(({ title }) => title).sort();

export const countOperations = async (user: User): Promise<number> =>
  (await user.data<{ operations: { nodes: { id: string }[] } }>('{ operations(first: 500) { nodes { id } } }'))
    .operations.nodes.length;
