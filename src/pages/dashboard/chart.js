// Bars over time, by uPlot. What a chart shows is also there as text: its legend, and a table that can be opened.
import { element } from './dom.js';
import { ALL_OUTCOMES, number, show, span, table, time } from './format.js';
import uPlot from './uPlot.esm.js';

/** Resolves colours: a custom property is the text that was written, and a canvas ignores a colour that it cannot parse. */
const probe = element('span', { hidden: true });
document.body.append(probe);

/** @param {string} name */
function colour(name) {
  probe.style.color = `var(--${name})`;
  return getComputedStyle(probe).color;
}

/** @param {string} of @param {string} [kind] */
function dot(of, kind = 'dot') {
  const made = element('span', { class: kind });
  made.style.background = `var(--${of})`;
  return made;
}

const HEIGHT = 220;
const HOUR_SECONDS = 3600;

/** Hours between labels: parts of a day, or whole days. A label needs so many pixels. */
const STEPS = [1, 2, 3, 6, 12, 24, 48, 96, 168];
const LABEL_WIDTH = 56;

/** Counts are whole. */
const INCREMENTS = Array.from({ length: 18 }, (_, power) => [1, 2, 5].map((one) => one * 10 ** power)).flat();
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

const bars = /** @type {import('uplot').Series.PathBuilder} */ (
  uPlot.paths.bars?.({ size: [0.85, 60], align: 1 })
);

/**
 * Requests by outcome, stacked.
 * @param {HTMLElement} place
 */
export function outcomeChart(place) {
  /** @type {any} */
  let plot;
  const canvas = element('div', { class: 'plot', 'aria-hidden': 'true' });
  const readout = element('p', { class: 'readout' });
  const outages = element('p', { class: 'readout' });
  const legend = element('ul', { class: 'legend' });
  const rowsPlace = element('div');
  const rows = element('details', {}, element('summary', {}, 'As a table'), rowsPlace);
  place.replaceChildren(legend, canvas, outages, readout, rows);
  /** @type {{ hours: string[], outcomes: { outcome: string, requests: number[] }[], marks: any[], outages: any[] }} */
  let shown = { hours: [], outcomes: [], marks: [], outages: [] };

  /** @param {number | null | undefined} index */
  const describe = (index) => {
    if (index === null || index === undefined) return 'Point at an hour to see its numbers.';
    const hour = shown.hours[index] ?? '';
    const parts = shown.outcomes
      .filter(({ requests }) => requests[index] !== 0)
      .map(({ outcome, requests }) => `${ALL_OUTCOMES[outcome]} ${number(requests[index])}`);
    return `${time(hour)}: ${[...(parts.length > 0 ? parts : ['no requests']), ...eventsOf(hour)].join(', ')}`;
  };

  /** What happened in an hour besides requests. @param {string} hour */
  const eventsOf = (hour) => [
    ...shown.marks.filter((mark) => mark.hour === hour).map(describeMark),
    ...shown.outages
      .filter((outage) => isIn(outage, hour))
      .map((outage) => `no database ${describeOutage(outage)}`),
  ];

  const fillTable = () => {
    if (!rows.open) return;
    const columns = shown.outcomes.map(({ outcome, requests }) => ({
      title: ALL_OUTCOMES[outcome] ?? outcome,
      cell: (/** @type {number} */ index) => number(requests[index]),
      isNumber: true,
    }));
    const hour = { title: 'hour', cell: (/** @type {number} */ index) => time(shown.hours[index]) };
    const events = {
      title: 'events',
      cell: (/** @type {number} */ index) => eventsOf(shown.hours[index] ?? '').join(', '),
    };
    const made = table(
      'Requests by hour',
      [hour, ...columns, events],
      [...shown.hours.keys()].toReversed(),
      'No hours.',
    );
    show(rowsPlace, made);
  };
  rows.addEventListener('toggle', fillTable);

  const draw = () => {
    plot?.destroy();
    const stacked = stack(shown.outcomes.map(({ requests }) => requests));
    const series = shown.outcomes.toReversed().map(({ outcome }) => ({
      fill: colour(`outcome-${outcome}`),
      stroke: colour(`outcome-${outcome}`),
      width: 0,
      paths: bars,
      points: { show: false },
    }));
    /** @type {import('uplot').Options} */
    const options = {
      width: Math.max(240, canvas.clientWidth),
      height: HEIGHT,
      legend: { show: false },
      cursor: { y: false, points: { show: false }, drag: { x: false } },
      scales: {
        // Not as time: the clocks of the viewer's zone would move labels on the days when they change.
        x: { time: false, range: (_plot, min, max) => [min, max + HOUR_SECONDS] },
        y: { range: (_plot, _min, max) => [0, Math.max(5, max * 1.05)] },
      },
      axes: [
        { ...axis(), splits: ticks, values: (_plot, splits) => splits.map(describeTick) },
        {
          ...axis(),
          size: 60,
          incrs: INCREMENTS,
          values: (_plot, values) => values.map((one) => compact.format(one)),
        },
      ],
      series: [{}, ...series],
      hooks: {
        setCursor: [({ cursor }) => void (readout.textContent = describe(cursor.idx))],
        drawClear: [(plotted) => drawOutages(plotted, 'bad-soft', HEIGHT)],
        draw: [drawMarks, (plotted) => drawOutages(plotted, 'bad', 5)],
      },
    };
    plot = new uPlot(options, [seconds(), ...stacked.toReversed()], canvas);
  };
  const seconds = () => shown.hours.map((hour) => Date.parse(hour) / 1000);

  /** Hours in which something was changed have a line. @param {any} plotted */
  const drawMarks = ({ ctx, bbox, valToPos }) => {
    ctx.save();
    ctx.fillStyle = colour('text');
    for (const hour of new Set(shown.marks.map((mark) => mark.hour))) {
      const x = Math.round(valToPos.call(plot, Date.parse(hour) / 1000, 'x', true));
      ctx.fillRect(x - devicePixelRatio, bbox.top, 2 * devicePixelRatio, 7 * devicePixelRatio);
    }
    ctx.restore();
  };

  /** From the bottom up; also of a second, which is less than a pixel. @param {any} plotted @param {string} name @param {number} height */
  const drawOutages = ({ ctx, bbox, valToPos }, name, height) => {
    ctx.save();
    ctx.fillStyle = colour(name);
    const tall = Math.min(bbox.height, height * devicePixelRatio);
    for (const { began_at: from, ended_at: to } of shown.outages) {
      const [left = 0, right = 0] = [from, to].map((at) =>
        Math.round(Math.max(bbox.left, valToPos.call(plot, Date.parse(at) / 1000, 'x', true))),
      );
      ctx.fillRect(left, bbox.top + bbox.height - tall, Math.max(3 * devicePixelRatio, right - left), tall);
    }
    ctx.restore();
  };

  new ResizeObserver(() =>
    plot?.setSize({ width: Math.max(240, canvas.clientWidth), height: HEIGHT }),
  ).observe(canvas);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);

  /** @param {any} next */
  return (next) => {
    const isSame = plot !== undefined && next.hours.length === shown.hours.length;
    shown = next;
    legend.replaceChildren(
      ...shown.outcomes.map(({ outcome, requests }) =>
        element(
          'li',
          {},
          dot(`outcome-${outcome}`),
          `${ALL_OUTCOMES[outcome]} `,
          element('strong', {}, number(requests.reduce((sum, count) => sum + count, 0))),
        ),
      ),
      ...(shown.marks.length > 0 ? [element('li', {}, dot('text', 'dot mark'), 'something changed')] : []),
      ...(shown.outages.length > 0 ? [element('li', {}, dot('bad', 'dot mark'), 'no database')] : []),
    );
    if (isSame)
      plot.setData([seconds(), ...stack(shown.outcomes.map(({ requests }) => requests)).toReversed()]);
    else draw();
    outages.textContent = describeOutages(shown.outages);
    readout.textContent = describe(plot?.cursor.idx);
    fillTable();
  };
}

/**
 * Even steps from midnight UTC.
 * @param {any} plot @param {number} _axis @param {number} min @param {number} max
 */
function ticks(plot, _axis, min, max) {
  const hours = (max - min) / HOUR_SECONDS;
  const fitting = plot.bbox.width / devicePixelRatio / LABEL_WIDTH;
  const step = (STEPS.find((one) => hours / one <= fitting) ?? STEPS.at(-1) ?? 1) * HOUR_SECONDS;
  const first = Math.ceil(min / step) * step;
  return Array.from({ length: Math.floor((max - first) / step) + 1 }, (_, nth) => first + nth * step);
}

/** The hour, and the day where it begins. @param {number} seconds @param {number} index */
function describeTick(seconds, index) {
  const text = new Date(seconds * 1000).toISOString();
  const isMidnight = text.slice(11, 16) === '00:00';
  return `${text.slice(11, 16)}${isMidnight || index === 0 ? `\n${text.slice(5, 10)}` : ''}`;
}

const axis = () => ({
  stroke: colour('muted'),
  grid: { stroke: colour('line'), width: 1 },
  ticks: { show: false },
  font: '12px system-ui, sans-serif',
});

/** Each with what is below it. @param {number[][]} series */
function stack(series) {
  /** @type {number[]} */
  let below = [];
  return series.map((counts) => (below = counts.map((count, index) => count + (below[index] ?? 0))));
}

/** @type {Record<string, string>} */
const SUBJECTS = { api_keys: 'key', api_key_secrets: 'secret', plans: 'plan', bans: 'ban' };
/** @type {Record<string, string>} */
const ACTIONS = { insert: 'new', update: 'changed', delete: 'deleted' };

/** Outages that the sentence names. */
const NAMED_MAX = 5;

/** @typedef {{ began_at: string, ended_at: string, replicas: number }} Outage */

/** @param {Outage} outage @param {string} hour */
const isIn = ({ began_at: from, ended_at: to }, hour) =>
  Date.parse(to) >= Date.parse(hour) && Date.parse(from) < Date.parse(hour) + HOUR_SECONDS * 1000;

/** @param {Outage} outage */
const describeOutage = ({ began_at: from, ended_at: to, replicas }) =>
  `${span(from, to)}${replicas > 1 ? ` (${replicas} replicas)` : ''}`;

/** @param {Outage[]} outages */
function describeOutages(outages) {
  if (outages.length === 0) return '';
  const named = outages.slice(0, NAMED_MAX).map(describeOutage).join(', ');
  const more = outages.length - NAMED_MAX;
  return `No database: ${named}${more > 0 ? `, and ${more} times more` : ''}.`;
}

/** @param {{ subject: string, action: string, changes: number }} mark */
const describeMark = ({ subject, action, changes }) =>
  `${changes} ${SUBJECTS[subject]}${changes === 1 ? '' : 's'} ${ACTIONS[action]}`;
