"""Three programs as a learner writes them from memory: a line fitted with nn, a small CNN, a gradient penalty."""

import torch
import torch.nn.functional as F
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset, random_split

# % learner-regression: y = 3 x - 2 with noise, fitted by nn.Linear
torch.manual_seed(0)
X = torch.linspace(-1, 1, 64).unsqueeze(1)
Y = 3 * X - 2 + 0.1 * torch.randn(64, 1)


class LinearRegression(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(1, 1)

    def forward(self, x):
        return self.linear(x)


model = LinearRegression()
criterion = nn.MSELoss()
optimizer = optim.SGD(model.parameters(), lr=0.3)
for epoch in range(60):
    pred = model(X)
    loss = criterion(pred, Y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if epoch % 15 == 0:
        print(f"epoch {epoch:2d} loss {loss.item():.4f}")
print(model)
for name, p in model.named_parameters():
    print(name, tuple(p.shape), p.requires_grad, f"{p.item():.3f} grad {p.grad.norm().item():.3f}")
model.eval()
with torch.no_grad():
    print(model(torch.tensor([[0.5], [-0.5]])))

# % learner-cnn: stripes in two directions and dots, told apart by a small CNN
torch.manual_seed(1)


def images(n):
    pictures, labels = [], []
    for i in range(n):
        picture = 0.3 * torch.randn(1, 12, 12)
        label = i % 3
        k = int(torch.randint(0, 3, (1,)))
        if label == 0:
            picture[:, k::3, :] += 1
        elif label == 1:
            picture[:, :, k::3] += 1
        else:
            picture[:, k::3, k::3] += 2
        pictures.append(picture)
        labels.append(label)
    return torch.stack(pictures), torch.tensor(labels)


class CNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 4, kernel_size=3, padding=1, bias=False)
        self.bn = nn.BatchNorm2d(4)
        self.conv2 = nn.Conv2d(4, 8, kernel_size=3)
        self.drop = nn.Dropout(0.2)
        self.fc = nn.Linear(8 * 2 * 2, 3)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.bn(self.conv1(x))), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        return self.fc(self.drop(torch.flatten(x, 1)))


dataset = TensorDataset(*images(90))
train, test = random_split(dataset, [72, 18])
loader = DataLoader(train, batch_size=12, shuffle=True)
net = CNN()
optimizer = optim.Adam(net.parameters(), lr=0.01)
print(sum(p.numel() for p in net.parameters() if p.requires_grad))
for epoch in range(4):
    net.train()
    running, correct = 0.0, 0
    for x, y in loader:
        optimizer.zero_grad()
        out = net(x)
        loss = F.cross_entropy(out, y)
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimizer.step()
        running += loss.item() * len(x)
        correct += (out.argmax(dim=1) == y).sum().item()
    print(f"epoch {epoch}: loss {running / len(train):.3f}, {correct}/{len(train)}")
net.eval()
with torch.no_grad():
    x, y = next(iter(DataLoader(test, batch_size=len(test))))
    probabilities = F.softmax(net(x), dim=1)
    print(f"test accuracy {(probabilities.argmax(1) == y).float().mean().item():.2f}", probabilities.shape)
copy = CNN()
print(copy.load_state_dict(net.state_dict()), torch.equal(copy.conv1.weight, net.conv1.weight))

# % learner-penalty: a critic whose gradient is kept near length one (double backward)
torch.manual_seed(2)
critic = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
optimizer = optim.Adam(critic.parameters(), lr=5e-3, betas=(0.5, 0.9))
for step in range(40):
    real = torch.randn(32, 2) + torch.tensor([2.0, 0.0])
    fake = torch.randn(32, 2)
    eps = torch.rand(32, 1)
    mixed = (eps * real + (1 - eps) * fake).requires_grad_(True)
    score = critic(mixed)
    (gradient,) = torch.autograd.grad(
        outputs=score, inputs=mixed, grad_outputs=torch.ones_like(score), create_graph=True, retain_graph=True
    )
    penalty = ((gradient.norm(2, dim=1) - 1) ** 2).mean()
    loss = critic(fake).mean() - critic(real).mean() + 10 * penalty
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 10 == 0:
        print(f"step {step:2d} loss {loss.item():.3f} penalty {penalty.item():.3f}")
print(gradient.requires_grad, type(gradient.grad_fn).__name__, mixed.is_leaf, mixed.grad is not None)
print(critic[0].weight.grad.shape, f"{critic[0].weight.grad.norm().item():.3f}")
