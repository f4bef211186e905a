// Page and service need the same origin for the session cookie.
const target = process.env.TASKGATE_URL || 'http://127.0.0.1:3000';
const proxy = { '/api': { target }, '/graphql': { target, ws: true } };

export default { server: { proxy }, preview: { proxy } };
