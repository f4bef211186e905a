// Fails if files or modules import each other in a circle.
import path from 'node:path';
import { importCircles } from './import-circles.ts';

const circles = await importCircles(path.join(import.meta.dirname, '..'));
for (const circle of circles) console.error(circle);
if (circles.length > 0) process.exitCode = 1;
