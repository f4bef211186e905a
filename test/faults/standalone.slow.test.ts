import { testFaults } from './suite.ts';

testFaults('standalone');
