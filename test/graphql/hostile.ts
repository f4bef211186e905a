const repeat = (text: string, times: number) => text.repeat(times);
const each = (count: number, itemAt: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => itemAt(index)).join(' ');

export interface Hostile {
  name: string;
  query: string;
  variables?: Record<string, unknown>;
  says: RegExp;
}

/** Operations that would exhaust the memory, the time or the stack of a server without limits. */
export const hostile: Hostile[] = [
  {
    name: 'fields 10,000 levels deep',
    query: `{tasks{nodes${repeat('{children', 10_000)}{id}${repeat('}', 10_000)}}}`,
    says: /has 30,009 tokens; the limit is 5,000.*has 10,003 nested brackets; the limit is 60/,
  },
  {
    name: 'fields 30 levels deep',
    query: `{tasks{nodes${repeat('{children', 28)}{id}${repeat('}', 28)}}}`,
    says: /is 21 fields deep or more; the limit is 20/,
  },
  {
    name: 'a selection set of 10,000 fields',
    query: `{viewer{${repeat('id ', 10_000)}}}`,
    says: /has 10,005 tokens; the limit is 5,000/,
  },
  {
    name: 'a selection set of 2,000 fields, spread over a fragment',
    query: `{viewer{${repeat('id ', 1000)}...F}} fragment F on User{${repeat('name ', 1000)}}`,
    says: /has 2,000 fields in one selection set; the limit is 200/,
  },
  {
    name: 'fields that only merging shows to be many',
    query: `{${repeat(`tasks{${repeat('nodes{id title}', 30)}}`, 20)}}`,
    says: /has 1,200 fields in one selection set; the limit is 200/,
  },
  {
    name: 'fields that take long to compare with one another',
    query: each(25, (index) => `query q${index}{${repeat('__typename ', 190)}}`),
    says: /query repeats too many fields: select each once/,
  },
  {
    name: 'fields of an unused fragment that take long to compare with one another',
    query: `{viewer{id}} fragment F on User{${repeat('id ', 2400)}}`,
    says: /^Fragment "F" is never used\.$/,
  },
  {
    name: 'objects of an unused fragment that take long to compare with one another',
    query: `{viewer{id}} fragment F on Task{${repeat('parent{id} ', 1200)}}`,
    says: /^Fragment "F" is never used\.$/,
  },
  {
    name: 'a long name that each error repeats',
    query: `query ${repeat('A', 30_000)}(${each(250, (index) => `$v${index}:Int`)}){viewer{id}}`,
    says: /^query has a name of 30,000 characters; the limit is 255$/,
  },
  {
    name: '10,000 aliases',
    query: `{${each(10_000, (index) => `a${index}:viewer{id}`)}}`,
    says: /has 60,002 tokens; the limit is 5,000/,
  },
  {
    name: '100 aliases',
    query: `{${each(100, (index) => `a${index}:viewer{id}`)}}`,
    says: /has 100 aliases; the limit is 50/,
  },
  {
    name: '40 sign-ins in one request',
    query: `mutation{${each(40, (index) => `a${index}:signIn(email:"a@example.com",password:"${index}"){id}`)}}`,
    says: /costs 2,400,\d{3}; the limit is 200,000/,
  },
  {
    name: 'fragments that spread one another in a circle',
    query: '{tasks{nodes{...A}}} fragment A on Task{...B} fragment B on Task{...A}',
    says: /Cannot spread fragment "A" within itself via "B"/,
  },
  {
    name: 'a circle of fragments with fields between',
    query: '{tasks{nodes{...A}}} fragment A on Task{children{...B}} fragment B on Task{children{...A}}',
    says: /is 21 fields deep or more; the limit is 20/,
  },
  {
    name: 'fragments that double at every step',
    query: `{tasks{nodes{...F0}}} ${each(40, (index) => `fragment F${index} on Task{a:parent{...F${index + 1}} b:parent{...F${index + 1}}}`)} fragment F40 on Task{id}`,
    says: /expands to 5,001 fields or more; the limit is 5,000/,
  },
  {
    name: 'lists of 500 in lists of 500',
    query: '{tasks(first:500){nodes{project{tasks(first:500){nodes{title}}}}}}',
    says: /costs \d{3},\d{3}; the limit is 200,000/,
  },
  {
    name: 'the same lists by variables',
    query: 'query($n:Int){tasks(first:$n){nodes{project{tasks(last:$n){nodes{title}}}}}}',
    variables: { n: 500 },
    says: /costs \d{3},\d{3}; the limit is 200,000/,
  },
  {
    name: 'the same lists by defaults of variables',
    query: 'query($n:Int=500){tasks(first:$n){nodes{project{tasks(last:$n){nodes{title}}}}}}',
    says: /costs \d{3},\d{3}; the limit is 200,000/,
  },
  {
    name: 'more sorted lists than one request may have',
    query: `{projects{${each(50, (index) => `a${index}:tasks(first:1,orderBy:TITLE){nodes{id}}`)}}}`,
    says: /costs 25\d,\d{3}; the limit is 200,000/,
  },
  {
    name: 'batches of 5,000 under many names',
    query: `query($n:Int){${each(40, (index) => `b${index}:sync(first:$n){tasks{id}}`)}}`,
    variables: { n: 5000 },
    says: /costs 220,\d{3}; the limit is 200,000/,
  },
  {
    name: 'more searches than one request may have',
    query: `query($f:TaskFilter){${each(20, (index) => `a${index}:tasks(filter:$f){totalCount} b${index}:tasks(filter:{text:"x"}){totalCount}`)}}`,
    variables: { f: { text: 'x' } },
    says: /costs 400,\d{3}; the limit is 200,000/,
  },
  {
    name: 'lists of 50 below each of 10,000 changed tasks',
    query: 'mutation($ids:[ID!]!){updateTasks(ids:$ids,input:{reminder:true}){tasks{project{tasks{nodes{title}}}}}}',
    variables: { ids: Array.from({ length: 10_000 }, (_, index) => `task_${index}`) },
    says: /costs 580,\d{3}; the limit is 200,000/,
  },
  {
    name: 'a list given again for each of 500 objects',
    query: '{tasks(first:500){nodes{project{sections{name}}}}}',
    says: /costs 276,\d{3}; the limit is 200,000/,
  },
  {
    name: 'a list that comes back to itself',
    query: '{tasks(first:1){nodes{children{parent{children{parent{children{id}}}}}}}}',
    says: /has Task\.children inside Task\.children through another field/,
  },
  {
    name: 'introspection that comes back to itself',
    query: `{__schema{types${repeat('{fields{type', 7)}{name}${repeat('}}', 7)}}}`,
    says: /Maximum introspection depth exceeded/,
  },
  {
    name: 'a list value nested 10,000 levels deep',
    query: `{nodes(ids:${repeat('[', 10_000)}1${repeat(']', 10_000)}){id}}`,
    says: /has 10,002 nested brackets; the limit is 60/,
  },
  {
    name: 'a list value of 100,000 entries',
    query: `{nodes(ids:[${repeat('"a"', 100_000)}]){id}}`,
    says: /is 300,019 characters long; the limit is 200,000/,
  },
  {
    name: '100,000 lines, which are counted for each error after them',
    query: `${repeat('\n', 100_000)}{${each(150, (index) => `a${index}`)}}`,
    says: /has 100,001 lines; the limit is 10,000/,
  },
  {
    name: '100,000 lines of a text',
    query: `{search(query:"""${repeat('\n', 100_000)}"""){tasks{id}}}`,
    says: /has 100,001 lines; the limit is 10,000/,
  },
  {
    name: '10,000 directives',
    query: `{viewer{id${repeat('@skip(if:false)', 10_000)}}}`,
    says: /has 10,000 directives; the limit is 50/,
  },
  {
    name: 'a string of a million characters',
    query: `{search(query:"${repeat('a', 900_000)}"){tasks{id}}}`,
    says: /is 900,\d{3} characters long/,
  },
  {
    name: 'brackets that are never closed',
    query: repeat('{a', 30_000),
    says: /has 30,000 nested brackets/,
  },
  {
    name: 'a variable with 15,000 bad entries',
    query: 'query($ids:[ID!]!){nodes(ids:$ids){id}}',
    variables: { ids: Array.from({ length: 15_000 }, () => ({ a: 1 })) },
    says: /^ids\.0 must be an id, as a string; .*ids\.19 must be an id, as a string$/,
  },
  {
    name: 'a variable with 15,000 unknown fields',
    query: 'mutation($input:UpdatePreferencesInput!){updatePreferences(input:$input){timeZone}}',
    variables: { input: Object.fromEntries(Array.from({ length: 15_000 }, (_, index) => [`k${index}`, 1])) },
    says: /^input\.k0 is not a field of UpdatePreferencesInput; .*k19 is not a field of UpdatePreferencesInput$/,
  },
  {
    name: 'a variable nested 100,000 levels deep',
    query: 'query($ids:[ID!]!){nodes(ids:$ids){id}}',
    variables: { ids: JSON.parse(repeat('[', 100_000) + repeat(']', 100_000)) as unknown },
    says: /^body must have at most 100 levels$/,
  },
];
