import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { Login, Permissions, Session } from './auth.ts';

export const authEndpoints = {
  'auth.login': endpoint({
    method: 'POST',
    path: '/auth/login',
    tag: 'Auth',
    summary: 'Log in; sets both cookies',
    permission: 'public',
    body: Login,
    wrap: 'flat',
    result: Session,
    success: 200,
    refuses: [400, 401],
  }),
  'auth.logout': endpoint({
    method: 'DELETE',
    path: '/auth/logout',
    tag: 'Auth',
    summary: 'Log out: both tokens stop being valid',
    permission: null,
    result: z.null(),
    success: 200,
    refuses: [401],
  }),
  'auth.refresh': endpoint({
    method: 'POST',
    path: '/auth/refresh',
    tag: 'Auth',
    summary: 'New tokens for both old ones (headers or cookies)',
    permission: 'public',
    result: Session,
    success: 200,
    refuses: [401],
  }),
  'auth.permissions': endpoint({
    method: 'GET',
    path: '/auth/permissions',
    tag: 'Auth',
    summary: 'What the current user may do',
    permission: null,
    result: Permissions,
    success: 200,
    refuses: [401],
  }),
} as const;
