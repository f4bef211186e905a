import { testFaults } from './suite.ts';

testFaults('cluster');
