import { isMet } from './report.js';

/** @typedef {import('./report.js').Measured} Measured */

const row = 26;
const left = 560;
/** Width of a bar that just meets its target. */
const unit = 160;
const width = 1000;
const escape = (/** @type {string} */ text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;');

/**
 * Draws every target as a bar. The length is the figure relative to the target, 1 being exactly met.
 * @param {Measured[]} measurements
 */
export function chart(measurements) {
  const targets = measurements.flatMap(({ name, targets: each }) => each.map((target) => ({ name, target })));
  const bars = targets.map(({ name, target }, index) => {
    const { ratio, atLeast, atMost = NaN, text } = target;
    const part = atLeast === undefined ? atMost / ratio : ratio / atLeast;
    const top = 30 + index * row;
    const length = Number.isNaN(part) ? 0 : Math.min(part * unit, width - left - 60);
    const figure = Number.isNaN(ratio) ? 'not measured' : ratio.toFixed(2);
    return `  <text x="${left - 8}" y="${top + 14}" text-anchor="end">${escape(`${name}: ${text}`)}</text>
  <rect x="${left}" y="${top}" width="${length.toFixed(0)}" height="18" fill="${isMet(target) ? '#2e7d4f' : '#b3402e'}"/>
  <text x="${left + length + 6}" y="${top + 14}">${figure}</text>`;
  });
  const height = 40 + targets.length * row;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="13">
  <rect width="${width}" height="${height}" fill="white"/>
  <text x="${left + unit}" y="18" text-anchor="middle">promised</text>
${bars.join('\n')}
  <line x1="${left + unit}" x2="${left + unit}" y1="24" y2="${height - 8}" stroke="#333" stroke-dasharray="4 3"/>
</svg>
`;
}
