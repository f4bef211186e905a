import { testFaults } from './suite.ts';

testFaults('smallDisk');
