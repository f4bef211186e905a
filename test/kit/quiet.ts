import { log } from '../../src/kernel/logger.ts';

// Before each test file: what the service's code logs is not the tests' to print. Who wants it asks for a level.
log.level = 'silent';
