import { hash } from 'node:crypto';
import { type CanActivate, type ExecutionContext, Injectable, UnauthorizedException } from '@nestjs/common';
import { PrismaService } from './prisma.service.js';

export interface RequestWithKey {
  readonly headers: { readonly authorization?: string };
  apiKey: { readonly id: bigint; readonly requestsPerMinute: number; readonly requestsPerDay: number };
}

@Injectable()
export class ApiKeyGuard implements CanActivate {
  constructor(private readonly prisma: PrismaService) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<RequestWithKey>();
    const key = request.headers.authorization?.slice('Bearer '.length) ?? '';
    const secret = await this.prisma.apiKeySecret.findUnique({
      where: { hash: hash('sha256', key, 'buffer') },
      include: { apiKey: { include: { plan: true } } },
    });
    const now = new Date();
    const isOver = (at: Date | null): boolean => at !== null && at <= now;
    if (secret === null || isOver(secret.expiresAt) || isOver(secret.apiKey.expiresAt)) {
      throw new UnauthorizedException();
    }
    const { id, plan, revokedAt, requestsPerMinute, requestsPerDay } = secret.apiKey;
    if (revokedAt !== null) throw new UnauthorizedException();
    request.apiKey = {
      id,
      requestsPerMinute: requestsPerMinute ?? plan.requestsPerMinute ?? 0,
      requestsPerDay: requestsPerDay ?? plan.requestsPerDay ?? 0,
    };
    return true;
  }
}
