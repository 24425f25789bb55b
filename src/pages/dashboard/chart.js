// Bars over time, by uPlot. A chart is also available as text: its legend, its marks, and a table that can be opened.
import { element } from './dom.js';
import { ALL_OUTCOMES, day, number, show, span, table, time } from './format.js';
import uPlot from './uPlot.esm.js';

/** Resolves colours: a custom property returns its source text, and a canvas ignores colours it cannot parse. */
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

const HEIGHT_MIN = 300;
/** For the letters of marks. */
const MARKS_HEIGHT = 24;
const HOUR_SECONDS = 3600;
const DAY_HOURS = 24;
/** More hours are shown as days. */
const HOURS_MAX = 10 * DAY_HOURS;

/** Hours between labels: parts of a day, or whole days. Pixels that a label needs. */
const STEPS = [1, 2, 3, 6, 12, 24, 48, 96, 168];
const LABEL_WIDTH = 56;

/** Rare outcomes must be visible: the minimum height in pixels of a bar's rejections and service errors. */
const PART_MIN = 4;
const QUIET = new Set(['success', 'client_error', 'no_key']);

/** Counts are whole. */
const INCREMENTS = Array.from({ length: 18 }, (_, power) => [1, 2, 5].map((one) => one * 10 ** power)).flat();
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** @typedef {{ at: string, subject: string, action: string, changes: number, of: string, by?: string, members?: string[] }} Mark */
/** @typedef {{ began_at: string, ended_at: string, replicas: number }} Outage */
/**
 * @typedef {object} Shown
 * @property {string[]} hours when each bar begins
 * @property {number} hoursEach
 * @property {{ outcome: string, requests: number[] }[]} outcomes those that occurred, from bottom to top of a bar
 * @property {{ letter: string, hour: string, text: string }[]} marks
 * @property {Outage[]} outages
 */

/**
 * Requests by outcome, stacked.
 * @param {HTMLElement} place
 * @param {(from: string, to: string) => void} select called with the dragged range: whole hours
 */
export function outcomeChart(place, select) {
  /** @type {any} */
  let plot;
  /** The only outcome shown, if any. */
  let alone = '';
  const canvas = element('div', { class: 'plot', 'aria-hidden': 'true' });
  const readout = element('p', { class: 'readout' });
  const outages = element('p', { class: 'readout' });
  const legend = element('div', {
    class: 'legend',
    role: 'group',
    'aria-label': 'Outcomes: press one to see it alone',
  });
  const marks = element('ol', { class: 'marks', 'aria-label': 'What changed' });
  const rowsPlace = element('div');
  const rows = element('details', {}, element('summary', {}, 'As a table'), rowsPlace);
  const hint = element('div', { class: 'hint' }, readout, rows);
  place.replaceChildren(legend, canvas, marks, outages, hint);
  /** @type {Shown} */
  let shown = { hours: [], hoursEach: 1, outcomes: [], marks: [], outages: [] };

  const visible = () => shown.outcomes.filter(({ outcome }) => alone === '' || outcome === alone);

  /** @param {number | null | undefined} index */
  const describe = (index) => {
    if (index === null || index === undefined || shown.hours[index] === undefined)
      return `Point at ${shown.hoursEach === 1 ? 'an hour' : 'a day'} to see its numbers; drag to select a time.`;
    const at = shown.hours[index] ?? '';
    const parts = shown.outcomes
      .filter(({ requests }) => requests[index] !== 0)
      .map(({ outcome, requests }) => `${ALL_OUTCOMES[outcome]} ${number(requests[index])}`);
    return `${nameOf(at)}: ${[...(parts.length > 0 ? parts : ['no requests']), ...eventsOf(at)].join(', ')}`;
  };

  /** @param {string} at */
  const nameOf = (at) => (shown.hoursEach === 1 ? time(at) : at.slice(0, 10));

  /** @param {string} at @param {string} begin */
  const isInBar = (at, begin) => {
    const after = Date.parse(at) - Date.parse(begin);
    return after >= 0 && after < shown.hoursEach * HOUR_SECONDS * 1000;
  };

  /** The events of an hour. @param {string} begin */
  const eventsOf = (begin) => [
    ...shown.marks.filter(({ hour }) => isInBar(hour, begin)).map(({ text }) => text),
    ...shown.outages
      .filter(({ began_at: from, ended_at: to }) => isInBar(from, begin) || (from < begin && to >= begin))
      .map((outage) => `no database ${describeOutage(outage)}`),
  ];

  const fillTable = () => {
    if (!rows.open) return;
    const columns = shown.outcomes.map(({ outcome, requests }) => ({
      title: ALL_OUTCOMES[outcome] ?? outcome,
      cell: (/** @type {number} */ index) => number(requests[index]),
      isNumber: true,
    }));
    const first = {
      title: shown.hoursEach === 1 ? 'hour' : 'day',
      cell: (/** @type {number} */ index) => nameOf(shown.hours[index] ?? ''),
    };
    const events = {
      title: 'events',
      cell: (/** @type {number} */ index) => eventsOf(shown.hours[index] ?? '').join(', '),
    };
    const made = table(
      'Requests by hour',
      [first, ...columns, events],
      [...shown.hours.keys()].toReversed(),
      'No hours.',
    );
    show(rowsPlace, made);
  };
  rows.addEventListener('toggle', fillTable);

  /** The tops of the parts of each bar. */
  const stacked = () => {
    const counts = visible();
    const highest = Math.max(
      1,
      ...shown.hours.map((_, nth) => counts.reduce((sum, { requests }) => sum + (requests[nth] ?? 0), 0)),
    );
    const least = (highest * PART_MIN) / (size().height - 60);
    /** @type {number[]} */
    let below = [];
    return counts.map(({ outcome, requests }) => {
      below = requests.map(
        (one, nth) => (one === 0 || QUIET.has(outcome) ? one : Math.max(one, least)) + (below[nth] ?? 0),
      );
      return below;
    });
  };

  const draw = () => {
    plot?.destroy();
    const series = visible()
      .toReversed()
      .map(({ outcome }) => ({
        fill: colour(`outcome-${outcome}`),
        stroke: colour(`outcome-${outcome}`),
        width: 0,
        paths: barsOf(),
        points: { show: false },
      }));
    /** @type {import('uplot').Options} */
    const options = {
      ...size(),
      padding: [MARKS_HEIGHT, null, null, null],
      legend: { show: false },
      cursor: { y: false, points: { show: false }, drag: { x: true, y: false, setScale: false } },
      scales: {
        // Not as time: DST changes in the viewer's time zone would shift the labels.
        x: { time: false, range: (_plot, min, max) => [min, max + shown.hoursEach * HOUR_SECONDS] },
        y: { range: (_plot, _min, max) => [0, Math.max(5, max * 1.05)] },
      },
      axes: [
        {
          ...axis(),
          splits: ticks,
          values: (_plot, splits) => splits.map((at, nth) => describeTick(at, nth, shown.hoursEach)),
        },
        {
          ...axis(),
          size: 60,
          space: 45,
          incrs: INCREMENTS,
          values: (_plot, values) => values.map((one) => compact.format(one)),
        },
      ],
      series: [{}, ...series],
      hooks: {
        setCursor: [({ cursor }) => void (readout.textContent = describe(cursor.idx))],
        setSelect: [selected],
        drawClear: [(plotted) => drawOutages(plotted, 'bad-soft', Infinity)],
        draw: [drawMarks, (plotted) => drawOutages(plotted, 'bad', 5)],
      },
    };
    plot = new uPlot(options, [seconds(), ...stacked().toReversed()], canvas);
  };
  /** The card may be as tall as its neighbour. */
  const size = () => ({
    width: Math.max(240, canvas.clientWidth),
    height: Math.max(HEIGHT_MIN, canvas.clientHeight),
  });
  const seconds = () => shown.hours.map((hour) => Date.parse(hour) / 1000);

  /** Whole hours that the dragged pixels touch. @param {any} plotted */
  function selected({ select: { left, width }, posToVal }) {
    if (width < 4) return;
    const [from = 0, to = 0] = [left, left + width].map((x) => posToVal.call(plot, x, 'x'));
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    const [first = '', end = ''] = [Math.floor(from / HOUR_SECONDS), Math.ceil(to / HOUR_SECONDS)].map(
      (hour) => new Date(hour * HOUR_SECONDS * 1000).toISOString(),
    );
    select(first, end);
  }

  /** Each change is a dashed line with a letter. @param {any} plotted */
  function drawMarks({ ctx, bbox, valToPos }) {
    const pixel = devicePixelRatio;
    ctx.save();
    ctx.font = `600 ${11 * pixel}px sans-serif`;
    ctx.textAlign = 'center';
    ctx.textBaseline = 'middle';
    ctx.lineWidth = pixel;
    for (const { hour, letter } of shown.marks) {
      const x = Math.round(valToPos.call(plot, Date.parse(hour) / 1000, 'x', true));
      ctx.strokeStyle = colour('muted');
      ctx.setLineDash([3 * pixel, 3 * pixel]);
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
      ctx.fillStyle = colour('text');
      const left = Math.max(bbox.left, Math.min(x - 8 * pixel, bbox.left + bbox.width - 16 * pixel));
      ctx.fillRect(left, bbox.top - 20 * pixel, 16 * pixel, 16 * pixel);
      ctx.fillStyle = colour('surface');
      ctx.fillText(letter, left + 8 * pixel, bbox.top - 12 * pixel);
    }
    ctx.restore();
  }

  /** From the bottom up; even outages of less than a pixel. @param {any} plotted @param {string} name @param {number} height */
  function drawOutages({ ctx, bbox, valToPos }, name, height) {
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
  }

  const showLegend = () =>
    show(
      legend,
      ...shown.outcomes.map(({ outcome, requests }) => {
        const sum = requests.reduce((total, one) => total + one, 0);
        const button = element(
          'button',
          { type: 'button', 'data-outcome': outcome, 'aria-pressed': String(alone === outcome) },
          dot(`outcome-${outcome}`),
          `${ALL_OUTCOMES[outcome]} `,
          element('strong', {}, number(sum)),
        );
        return button;
      }),
      ...(shown.outages.length > 0
        ? [element('span', { class: 'also' }, dot('bad', 'dot mark'), 'no database')]
        : []),
    );
  legend.addEventListener('click', ({ target }) => {
    const button = target instanceof Element ? target.closest('button') : null;
    if (button === null) return;
    alone = alone === button.dataset['outcome'] ? '' : (button.dataset['outcome'] ?? '');
    showLegend();
    draw();
  });

  new ResizeObserver(() => plot?.setSize(size())).observe(canvas);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);

  /** @param {any} next */
  return (next) => {
    const before = JSON.stringify([
      shown.hoursEach,
      shown.hours.length,
      visible().map(({ outcome }) => outcome),
    ]);
    shown = shownOf(next);
    if (shown.outcomes.every(({ outcome }) => outcome !== alone)) alone = '';
    const after = JSON.stringify([
      shown.hoursEach,
      shown.hours.length,
      visible().map(({ outcome }) => outcome),
    ]);
    showLegend();
    show(
      marks,
      ...shown.marks.map(({ letter, text, hour }) =>
        element(
          'li',
          {},
          element('b', {}, letter),
          element('bdi', {}, `${day(hour)} ${hour.slice(11, 16)} ${text}`),
        ),
      ),
    );
    if (plot !== undefined && before === after) plot.setData([seconds(), ...stacked().toReversed()]);
    else draw();
    outages.textContent = describeOutages(shown.outages);
    readout.textContent = describe(plot?.cursor.idx);
    fillTable();
  };
}

const barsOf = () =>
  /** @type {import('uplot').Series.PathBuilder} */ (uPlot.paths.bars?.({ size: [0.85, 60], align: 1 }));

/** A view's chart data. @param {any} view @returns {Shown} */
function shownOf({ hours, outcomes, marks, outages = [] }) {
  const order = Object.keys(ALL_OUTCOMES);
  const occurred = outcomes
    .filter((/** @type {any} */ { requests }) => requests.some((/** @type {number} */ one) => one > 0))
    .toSorted(
      (/** @type {any} */ a, /** @type {any} */ b) => order.indexOf(a.outcome) - order.indexOf(b.outcome),
    );
  const whole = { hours, hoursEach: 1, outcomes: occurred, marks: lettered(marks), outages };
  return hours.length > HOURS_MAX ? byDay(whole) : whole;
}

/** Sums of UTC days. @param {Shown} whole @returns {Shown} */
function byDay(whole) {
  const days = [...new Set(whole.hours.map((hour) => `${hour.slice(0, 10)}T00:00:00.000Z`))];
  const places = whole.hours.map((hour) => days.indexOf(`${hour.slice(0, 10)}T00:00:00.000Z`));
  const outcomes = whole.outcomes.map(({ outcome, requests }) => {
    const sums = days.map(() => 0);
    for (const [nth, one] of requests.entries()) sums[places[nth] ?? 0] = (sums[places[nth] ?? 0] ?? 0) + one;
    return { outcome, requests: sums };
  });
  return { ...whole, hours: days, hoursEach: DAY_HOURS, outcomes };
}

/** How many marks have a letter: the last. */
const LETTERS = 6;

/** Groups marks by hour. @param {Mark[]} marks */
function lettered(marks) {
  /** @type {Map<string, Mark[]>} */
  const byHour = new Map();
  for (const mark of marks) {
    const hour = `${mark.at.slice(0, 13)}:00:00.000Z`;
    byHour.set(hour, [...(byHour.get(hour) ?? []), mark]);
  }
  return [...byHour.entries()]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .slice(-LETTERS)
    .map(([hour, some], nth) => ({
      letter: String.fromCharCode(65 + nth),
      // A single change has its minute.
      hour: some.length === 1 && some[0]?.changes === 1 ? some[0].at : hour,
      text: some.map(describeMark).join('; '),
    }));
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

/** The hour, plus the day at midnight; for days, the day. @param {number} seconds @param {number} index @param {number} hoursEach */
function describeTick(seconds, index, hoursEach) {
  const text = new Date(seconds * 1000).toISOString();
  if (hoursEach === DAY_HOURS) return day(text);
  const isMidnight = text.slice(11, 16) === '00:00';
  return `${text.slice(11, 16)}${isMidnight || index === 0 ? `\n${day(text)}` : ''}`;
}

const axis = () => ({
  stroke: colour('muted'),
  grid: { stroke: colour('line'), width: 1 },
  ticks: { show: false },
  font: '12px -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
});

/** @type {Record<string, string>} */
const SUBJECTS = { api_keys: 'key', api_key_secrets: 'secret', plans: 'plan', bans: 'key' };
/** @type {Record<string, string>} */
const ACTIONS = { insert: 'created', update: 'changed', delete: 'deleted' };

/** Outages listed by the sentence. */
const NAMED_MAX = 5;

/** @param {Outage} outage */
const describeOutage = ({ began_at: from, ended_at: to, replicas }) =>
  `${span(from, to)}${replicas > 1 ? ` (${replicas} replicas)` : ''}`;

/** @param {Outage[]} outages */
function describeOutages(outages) {
  if (outages.length === 0) return '';
  const named = outages.slice(0, NAMED_MAX).map(describeOutage).join(', ');
  const more = outages.length - NAMED_MAX;
  return `No database: ${named}${more > 0 ? `, and ${more} more times` : ''}.`;
}

/** What changed, and who changed it. @param {Mark} mark */
function describeMark({ subject, action, changes, of, by, members = [] }) {
  const done = subject === 'bans' ? 'banned' : ACTIONS[action];
  if (changes !== 1) return `${changes} ${SUBJECTS[subject]}s ${done}`;
  const name = `${subject === 'api_key_secrets' ? 'secret of key' : SUBJECTS[subject]} ${of}`;
  return `${name} ${members.length > 0 ? members.join(', ') : done}${by === undefined ? '' : `, by ${by}`}`;
}
