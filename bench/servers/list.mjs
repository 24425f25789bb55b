// The servers that are compared.
import { readFileSync } from 'node:fs';

/** The service is measured as its image runs it. */
const DOCKERFILE = readFileSync(new URL('../../Dockerfile', import.meta.url), 'utf8');
const FLAGS_OF_IMAGE = /^CMD \["node", (.*)"dist/m.exec(DOCKERFILE)?.[1].match(/--[^"]+/g) ?? [];

/**
 * @typedef {object} Server
 * @property {string} title
 * @property {string} file relative to the project
 * @property {readonly string[]} [flags] of Node.js
 * @property {boolean} hasPool whether it is tried with several numbers of connections to PostgreSQL
 * @property {boolean} cursors whether it knows the service's cursors
 * @property {boolean} [bare] whether it orders from tables without the service's rules
 * @property {boolean} [redis]
 * @property {boolean} [constant] gives the body that it is started with, whatever is asked
 */

/** @typedef {keyof typeof SERVERS} ServerName */

export const SERVERS = {
  service: {
    title: 'the service',
    file: 'dist/main.js',
    flags: FLAGS_OF_IMAGE,
    hasPool: false,
    cursors: true,
  },
  'node-http': {
    title: 'node:http, constant answer',
    file: 'bench/servers/node-http.mjs',
    hasPool: false,
    cursors: false,
    constant: true,
  },
  'fastify-constant': {
    title: 'Fastify, constant answer',
    file: 'bench/servers/fastify-constant.mjs',
    hasPool: false,
    cursors: false,
    constant: true,
  },
  'fastify-pg': {
    title: 'bare Fastify + pg',
    file: 'bench/servers/fastify-pg.mjs',
    hasPool: true,
    cursors: false,
    bare: true,
  },
  'fastify-rate-limit': {
    title: 'Fastify + @fastify/rate-limit on Redis + pg',
    file: 'bench/servers/fastify-rate-limit.mjs',
    hasPool: true,
    cursors: false,
    redis: true,
  },
  'fastify-rate-limiter-flexible': {
    title: 'Fastify + rate-limiter-flexible on PostgreSQL + pg',
    file: 'bench/servers/fastify-rate-limiter-flexible.mjs',
    hasPool: true,
    cursors: false,
  },
};
